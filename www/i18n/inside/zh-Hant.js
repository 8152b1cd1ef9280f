// 繁體中文。只在保險庫內出現的文字，隨相關部分一起載入。規則見 ../zh-Hant.js。
export default {
    "more": "更多",
    "show.begin": "幻燈片播放",
    "show.end": "結束播放",
    "pick.invert": "反向選取",
    "info.verified": "讀回校驗",
    "map.far": "地圖。顯示整個世界",
    "map.near": "地圖。放大顯示",
};
