// Pictures that lie on their side are shown turned: the style sheet has the rest.

/**
 * @param {HTMLElement | null | undefined} picture
 * @param {Photo} photo
 */
export function turn(picture, { rotation = 0 }) {
    if (!picture) return;
    if (rotation === 0) delete picture.dataset.turn;
    else picture.dataset.turn = String(rotation);
}

/**
 * Whether its width is what was its height.
 * @param {HTMLElement} picture
 */
export const isOnSide = ({ dataset }) => dataset.turn === "90" || dataset.turn === "270";
