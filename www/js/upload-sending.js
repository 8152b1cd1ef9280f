// What sends files, and is needed only inside.
export { Findings } from "./findings.js";
export { Transfer, isReadBack, terminate } from "./upload-transfer.js";
export { afterFailure, verdict } from "./upload-verdict.js";
