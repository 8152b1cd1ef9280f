import FoundationEssentials

/// Base64 of RFC 4648 section 4 as tus writes it: padded, without line breaks.
enum Base64 {
    /// - Returns: `nil` when malformed.
    static func decode(_ text: Substring) -> [UInt8]? {
        Data(base64Encoded: String(text)).map { Array($0) }
    }
}
