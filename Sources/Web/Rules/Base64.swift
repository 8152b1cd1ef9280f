import FoundationEssentials

/// Base64 of RFC 4648 section 4 as tus writes it: padded, without line breaks; also with the letters of section 5 and
/// without padding, as some clients do.
enum Base64 {
    /// - Returns: `nil` when malformed.
    static func decode(_ text: Substring) -> [UInt8]? {
        var standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        standard.append(contentsOf: repeatElement("=", count: (4 - standard.count % 4) % 4))
        return Data(base64Encoded: String(standard)).map { Array($0) }
    }
}
