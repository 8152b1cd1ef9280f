// What opens or makes a vault, beyond the password at the door.
export { newPasswordFields } from "./new-password.js";
export { newVaultScreen } from "./new-vault.js";
export { askForVault } from "./unlock-dialog.js";
export { showRecoveryCode } from "./recovery-sheet.js";
