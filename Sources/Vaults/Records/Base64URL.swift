import FoundationEssentials

/// RFC 4648 section 5, without padding: for cookies and handles.
enum Base64URL {
    static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString()
        return String(
            text.compactMap { character in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    /// Nil for anything that `encode` does not produce.
    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 1024, !text.contains(where: { "+/=".contains($0) }) else { return nil }
        var standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: standard).map(Array.init), encode(bytes) == text else { return nil }
        return bytes
    }
}
