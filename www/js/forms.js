// How fields of a form help each other: Return leads on, two passwords are compared where the second one is typed.
import { t } from "./i18n.js";

/** Return goes to the next field that must be filled and is empty; from the last one it sends the form. */
export function leadOn(form) {
    form.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement) || event.isComposing) return;
        const fields = [...form.querySelectorAll("input[required]:not([type=checkbox])")];
        const next = fields.slice(fields.indexOf(event.target) + 1).find(({ value }) => value === "");
        if (!next || event.target.value === "") return;
        event.preventDefault();
        next.focus();
    });
}

/** Says on leaving the second field that it differs from the first one, and no longer once it does not. */
export function compare(first, second) {
    const isSame = () => first.input.value === second.input.value;
    let isSaid = false;
    second.input.addEventListener("blur", () => {
        if (second.input.value === "" || isSame() || isSaid) return;
        isSaid = true;
        second.fail(t("error.password-mismatch"));
    });
    for (const { input } of [first, second]) {
        input.addEventListener("input", () => {
            if (!isSaid || !isSame()) return;
            isSaid = false;
            second.clear();
        });
    }
}
