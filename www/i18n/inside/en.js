// English. What is said inside a vault alone; it comes with the parts that say it. The rules are those of ../en.js.
export default {
    "more": "More",
    "show.begin": "Slideshow",
    "show.end": "End slideshow",
    "pick.invert": "Invert selection",
    "info.verified": "Read back and verified",
    "map.far": "Map. Show the whole world",
    "map.near": "Map. Show it closer",
};
