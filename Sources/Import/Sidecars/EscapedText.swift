/// Texts in which some signs stand as HTML and XML write them: `It&#39;s`, `Tom &amp; Jerry`.
enum EscapedText {
    private static let signs = [
        ("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("#34;", "\""), ("#39;", "'"), ("#x27;", "'"), ("apos;", "'"),
        // Last: what it leaves may look like one of the others.
        ("amp;", "&"),
    ]

    /// With these signs in place of how HTML writes them.
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return signs.reduce(text) { $0.replacing("&" + $1.0, with: $1.1) }
    }

    /// Google Takeout has written descriptions and titles so for years, and others as they are. One that has any of these signs
    /// bare was not written so, and stays.
    static func plain(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")), !text.contains(where: { "<>\"'".contains($0) }) else {
            return text
        }
        let behind = text.split(separator: "&", omittingEmptySubsequences: false).dropFirst()
        let isEscaped = behind.allSatisfy { part in signs.contains { part.hasPrefix($0.0) } }
        return isEscaped ? decoded(text) : text
    }
}
