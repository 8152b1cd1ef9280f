"""Pictures with writing whose words are known: screens, slides, signs, and receipts that lie on something, in three languages."""

import random
import subprocess

FONTS = {
    "en": "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
    "de": "/usr/share/fonts/truetype/noto/NotoSerif-Regular.ttf",
    "zh": "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
}
WORDS = {
    "en": "invoice total amount receipt coffee bread butter cheese street number return within thank visit payment change table order "
    "daily closed soup salad chicken price train ticket platform departure arrival boarding address network password garden",
    "de": "rechnung summe betrag quittung brot butter käse straße nummer zurück innerhalb danke besuch zahlung bargeld tisch bestellung "
    "täglich geschlossen suppe salat hähnchen preis fahrkarte gleis abfahrt ankunft anschrift netzwerk kennwort garten schlüssel",
    "zh": "发票 总计 金额 收据 咖啡 牛奶 面包 奶酪 街道 号码 付款 现金 税费 桌号 订单 营业 星期 菜单 沙拉 鸡肉 价格 火车票 站台 出发 到达 座位 姓名 地址 电话 邮箱 密码 网络",
}
# Width, height, size of the letters, words, their colour and what is behind them.
STRAIGHT = {
    "screen": (1080, 1920, 40, 48, "black", "white"),
    "dark screen": (1080, 1920, 40, 48, "0xDDDDDD", "0x101014"),
    "slide": (1600, 900, 56, 24, "white", "0x14285A"),
}
RECEIPT = (900, 1300, 38, 32, "0x141414", "0xFAFAF5")


def draw(folder, name, language, kind, seed, ground=None):
    """A JPEG, and the words on it. What is no screen lies askew on another picture, out of focus a little."""
    chance = random.Random(f"{language}{kind}{seed}")
    width, height, size, count, colour, behind = STRAIGHT.get(kind, RECEIPT)
    words = [*chance.sample(WORDS[language].split(), min(count, 28) - 1), str(chance.randrange(100_000, 999_999))]
    per_line = max(2, width // (size * (5 if language == "zh" else 7)))
    lines = [" ".join(words[start : start + per_line]) for start in range(0, len(words), per_line)]
    text = folder / f"{name}.txt"
    text.write_text("\n".join(lines))
    page = (
        f"color={behind}:s={width}x{height},drawtext=fontfile={FONTS[language]}:textfile={text}:fontcolor={colour}"
        f":fontsize={size}:line_spacing={size // 2}:x={size}:y={size}"
    )
    if kind in STRAIGHT:
        inputs, graph = [], f"{page}[out]"
    else:
        turn = chance.uniform(-0.06, 0.06)
        inputs = ["-i", str(ground)]
        graph = (
            f"{page},format=rgba,rotate={turn}:ow=rotw({turn}):oh=roth({turn}):c=none,gblur=0.8[page];"
            "[0:v]scale=2048:1536[ground];[ground][page]overlay=(W-w)/2:(H-h)/2[out]"
        )
    path = folder / f"{name}.jpg"
    command = [
        "ffmpeg",
        "-v",
        "error",
        "-y",
        *inputs,
        "-filter_complex",
        graph,
        "-map",
        "[out]",
        "-frames:v",
        "1",
        "-q:v",
        "4",
    ]
    subprocess.run([*command, path], check=True)
    return path, words


def recall(words, text):
    """Which part of the words stands in a text, whatever case and blanks it has."""
    found = "".join(text.lower().split())
    return sum(word in found for word in words) / len(words)
