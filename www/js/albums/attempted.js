// What somebody asks for and may be refused: the reason is said where they look.
import { Problem, Unreachable, meansSessionEnd } from "../base/api.js";
import { describe } from "../base/problems.js";
import { toast } from "../elements/toast.js";

/**
 * True when it was done; what went wrong is said, unless the banner about the connection or the door says it.
 * @param {() => unknown} work
 * @returns {Promise<boolean>}
 */
export async function attempted(work) {
    try {
        await work();
        return true;
    } catch (error) {
        const isSaid = error instanceof Unreachable || (error instanceof Problem && meansSessionEnd(error));
        if (!isSaid) toast(describe(error));
        return false;
    }
}
