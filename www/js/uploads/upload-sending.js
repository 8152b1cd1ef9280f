// What sends files and shows how far they are, and is needed only inside.
export * from "./upload-carrying.js";
export { UploadPanel } from "./upload-panel.js";
