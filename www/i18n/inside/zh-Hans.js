// 简体中文。只在保险库内出现的文字，随相关部分一起载入。规则见 ../zh-Hans.js。
export default {
    "more": "更多",
    "show.begin": "幻灯片放映",
    "show.end": "结束放映",
    "pick.invert": "反选",
    "info.verified": "读回校验",
    "map.far": "地图。显示整个世界",
    "map.near": "地图。放大显示",
};
