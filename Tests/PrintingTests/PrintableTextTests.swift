import Logging
import Printing
import Testing

@Suite("Text from outside that reaches a terminal, a log or a file name")
struct PrintableTextTests {
    @Test(
        "what rules a terminal, ends a line, or cannot be seen is shown by its number",
        arguments: [
            ("\u{1B}]0;PWNED\u{7}\u{1B}[2J.jpg", "\\u{1B}]0;PWNED\\u{7}\\u{1B}[2J.jpg"),
            ("a\r\nDAMAGE b", "a\\u{D}\\u{A}DAMAGE b"),
            ("\u{9B}31m red", "\\u{9B}31m red"),
            ("\u{7F}\u{8}\t", "\\u{7F}\\u{8}\\u{9}"),
            ("photo\u{202E}gpj.exe", "photo\\u{202E}gpj.exe"),
            ("\u{2066}a\u{2069}\u{200F}\u{61C}", "\\u{2066}a\\u{2069}\\u{200F}\\u{61C}"),
            ("a\u{2028}b\u{2029}c\u{85}d", "a\\u{2028}b\\u{2029}c\\u{85}d"),
            ("\u{FEFF}\u{200B}\u{FFFE}\u{E0041}", "\\u{FEFF}\\u{200B}\\u{FFFE}\\u{E0041}"),
        ])
    func shown(text: String, expected: String) {
        #expect(text.printable == expected)
        #expect("\(text)" as PrintableText == expected)
        #expect(text.pathComponent.unicodeScalars.filter { !$0.isPrintable }.isEmpty)
    }

    @Test(
        "names that people give stay as they are",
        arguments: [
            "IMG_0001.HEIC", "Ünïcode Ôsterreich.jpg", "相片 (2).jpg", "👨‍👩‍👧‍👦 ❤️ 🇦🇹.mov", "می‌خواهم.jpg", "צילום.jpg",
            "a\\b\"c.jpg",
            "\u{F8FF} \u{FFFD}.png",
        ])
    func kept(name: String) {
        #expect(name.printable == name)
    }

    @Test("a part of a path holds no separator, whatever is combined with it, and nothing invisible")
    func pathComponents() {
        #expect("a/\u{301}b\\\u{20E3}c\u{202E}\u{1B}.jpg".pathComponent == "a_\u{301}b_\u{20E3}c__.jpg")
    }

    @Test("bytes that are no UTF-8 are shown as what they are not")
    func invalidBytes() {
        let text = String(decoding: [0x61, 0x9B, 0xFF, 0x62] as [UInt8], as: UTF8.self)
        #expect(text.printable == "a\u{FFFD}\u{FFFD}b")
    }

    @Test("a program's own words keep their lines and colours, also within others")
    func ownWords() {
        let own: PrintableText = "\u{1B}[32mwell\u{1B}[0m\n"
        #expect(("\(own)\("\u{1B}")" as PrintableText).string == "\u{1B}[32mwell\u{1B}[0m\n\\u{1B}")
        #expect(PrintableText(lines: "a\u{7}\nb\u{1B}") == "a\\u{7}\nb\\u{1B}")
        #expect([own, "x"].joined(separator: ", ") == "\u{1B}[32mwell\u{1B}[0m\n, x")
    }

    @Test("nothing that is logged makes a second line, wherever it stands")
    func logLines() {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in PrintableLogHandler(lines) }
        logger[metadataKey: "of\n"] = "a\nb"
        logger.error(
            "name \("\u{1B}[2J\nx")", error: Failure(),
            metadata: ["k\n": ["\u{9B}", ["\n": "\u{2028}"]], "error": "own\n"])
        let line = lines.all.joined(separator: "\n")
        #expect(line.unicodeScalars.filter { !$0.isPrintable }.isEmpty)
        #expect(line.contains("name \\u{1B}[2J\\u{A}x"))
        #expect(line.contains("\\u{9B}") && line.contains("\\u{2028}") && line.contains("own\\u{A}"))
    }

    private struct Failure: Error, CustomStringConvertible {
        var description: String { "of\na file" }
    }
}

extension PrintableText {
    static func == (text: PrintableText, expected: String) -> Bool { text.string == expected }
}
