// The two fields where somebody with a vault chooses another password.
import * as api from "../base/api.js";
import { compare } from "../elements/forms.js";
import { t } from "../base/i18n.js";
import { passwordField } from "../elements/password-field.js";
import { strengthMeter, weakness } from "./strength-meter.js";

/** `{fields, typed()}`; `typed` gives `{password, confirmation}`, or throws what the host would say. */
export function newPasswordFields() {
    const fresh = passwordField({ label: t("set.new"), fresh: true, meter: strengthMeter, hint: t("new.hint") });
    const again = passwordField({ label: t("new.again"), fresh: true });
    compare(fresh, again);
    const typed = () => {
        const [password, confirmation] = [fresh.input.value, again.input.value];
        const code = password === confirmation ? password && weakness(password) : "password-mismatch";
        if (code) throw new api.Problem({ status: 400, code });
        return { password, confirmation };
    };
    return { fields: [fresh, again], typed };
}
