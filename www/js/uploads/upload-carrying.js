// What sends files, without what shows how far they are: a page with a face of its own takes only this.
export { Findings } from "./findings.js";
export { UploadDates } from "./upload-dates.js";
export { UploadPictures } from "./upload-pictures.js";
export { Transfer, abandon, isReadBack, prepare, terminate } from "./upload-transfer.js";
export { afterFailure, verdict } from "./upload-verdict.js";
