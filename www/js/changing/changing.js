// The part that changes what is said of photos: it comes when somebody wants that.
export { rotate, saveCaption } from "./photo-changes.js";
export { changeDates } from "./date-sheet.js";
