// What opens or makes a vault, beyond the password at the door.
export { newVaultScreen } from "./new-vault.js";
export { askForVault } from "./unlock-dialog.js";
