// The vault's words in English, for tests of what is said. Dates and numbers are those of a British reader, as in the tests of
// the page.
import { speak } from "../../www/js/base/i18n.js";
import words from "../../www/i18n/en.js";
import wordsInside from "../../www/i18n/inside/en.js";
import wordsOfPhotos from "../../www/i18n/photos/en.js";

export function speakEnglish() {
    speak("en", { ...words, ...wordsInside, ...wordsOfPhotos }, ["en-GB"]);
}
