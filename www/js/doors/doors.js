// Ways in that only let in: how they are made, and what comes through them.
export { DoorsNews } from "./door-news.js";
export { doorsPart } from "./door-list.js";
export { WaitingScreen } from "./waiting-screen.js";
