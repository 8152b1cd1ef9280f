// What sends files and shows how far they are, and is needed only inside.
export { Findings } from "./findings.js";
export { UploadDates } from "./upload-dates.js";
export { UploadPanel } from "./upload-panel.js";
export { UploadPictures } from "./upload-pictures.js";
export { Transfer, abandon, isReadBack, prepare, terminate } from "./upload-transfer.js";
export { afterFailure, verdict } from "./upload-verdict.js";
