@_spi(_Unicode) import Swift

/// Names in archives: bytes of some encoding, written by anybody.
enum EntryName {
    /// The upper half of code page 437, in which ZIP writes names that are not marked as UTF-8.
    private static let upperHalf = Array(
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ "
            .unicodeScalars)

    /// UTF-8 where it is that, marked or not: programs of macOS forget the mark, and hardly a name of code page 437
    /// that has letters beyond ASCII is UTF-8 by chance.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80]) }
        return String(text)
    }

    /// The path without `.` and empty parts, and with `/` alone between them.
    /// - Returns: why it is refused, where it leads out of the archive or is no name.
    static func checked(_ text: String) -> (path: String, refusal: String?) {
        guard text.utf8.count <= ArchiveLimits.longestName else {
            return (String(text.prefix(200)), "its name is too long")
        }
        guard !text.unicodeScalars.contains("\0") else { return (text, "its name has a zero byte") }
        let slashed = String(text.map { $0 == "\\" ? "/" : $0 })
        guard !slashed.hasPrefix("/"), !hasDrive(slashed) else { return (text, "its name leads out of the archive") }
        let parts = slashed.split(separator: "/").filter { $0 != "." }
        guard !parts.contains("..") else { return (text, "its name leads out of the archive") }
        guard !parts.isEmpty else { return (text, "it has no name") }
        return (parts.joined(separator: "/"), nil)
    }

    /// In NFC: macOS takes letters apart in names.
    static func composed(_ text: String) -> String {
        var composed = String.UnicodeScalarView()
        composed.append(contentsOf: text._nfc)
        return String(composed)
    }

    /// `C:` of Windows.
    private static func hasDrive(_ text: String) -> Bool {
        let bytes = Array(text.utf8.prefix(2))
        guard bytes.count == 2, bytes[1] == UInt8(ascii: ":") else { return false }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[0] | 0x20)
    }
}
