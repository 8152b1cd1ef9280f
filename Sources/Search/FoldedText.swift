import Foundation

/// Text as it is compared: without case, accents and the difference between wide and narrow forms.
package enum FoldedText {
    /// UTF-8. Compatibility forms are taken apart (NFKD), so that both of Unicode's spellings of a letter are one, and
    /// marks above and below letters are left out.
    package static func fold(_ text: String) -> [UInt8] {
        var text = text
        if let plain = text.withUTF8(plain) { return plain }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars where !isMark(scalar) {
            for small in (letters[scalar] ?? scalar.properties.lowercaseMapping).unicodeScalars where !isMark(small) {
                bytes.append(contentsOf: UTF8.encode(small) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return bytes
    }

    static func folded(_ text: String) -> String { String(decoding: fold(text), as: UTF8.self) }

    /// Nil for what is not ASCII: most names are.
    private static func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Signs that are letters of their own, as the vowels of Indic scripts, stay.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300, scalar.properties.generalCategory == .nonspacingMark else { return false }
        let place = scalar.properties.canonicalCombiningClass
        return place != .notReordered && place != .virama && place != .nukta
    }

    /// Letters that Unicode does not take apart, and that people type without their strokes.
    private static let letters: [Unicode.Scalar: String] = [
        "ß": "ss", "ẞ": "ss", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "æ": "ae", "Æ": "ae",
        "œ": "oe", "Œ": "oe", "ı": "i", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th", "ς": "σ", "’": "'",
    ]
}

extension Unicode.Scalar {
    /// Of scripts that are written without blanks between words: Han and Kana.
    var isIdeographic: Bool {
        switch value {
        case 0x2E80...0x2FFF, 0x3005...0x3007, 0x3021...0x3029, 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
