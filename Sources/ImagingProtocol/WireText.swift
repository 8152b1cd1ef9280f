/// Texts out of photos: at most 256 bytes of UTF-8, nothing in them that moves a cursor or turns the reading direction.
enum WireText {
    static let byteLimit = 256

    /// The longest beginning of whole characters that fits.
    static func shortened(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for character in text.unicodeScalars {
            let encoded = Array(String(character).utf8)
            guard bytes.count + encoded.count <= byteLimit else { break }
            bytes += encoded
        }
        return bytes
    }

    /// Nil for what is no UTF-8 or too long. Control and formatting characters are dropped.
    static func checked(_ bytes: [UInt8]) -> String? {
        guard bytes.count <= byteLimit, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: text.unicodeScalars.filter { !isDropped($0) })
        return String(kept)
    }

    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }
}
