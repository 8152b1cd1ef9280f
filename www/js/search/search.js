// The part that finds: by words, by likeness, and what is there more than once.
export { DuplicatesScreen } from "./duplicates.js";
export { Finding } from "./finding.js";
export { nothingAlike, SearchBar } from "./search-bar.js";
