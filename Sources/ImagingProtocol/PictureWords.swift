import Bytes

/// What is written in a picture: lines of words, as somebody would copy them.
package struct PictureWords: Equatable, Sendable {
    /// Bytes of UTF-8 at most; what is found behind them is left out.
    package static let byteLimit = 2000

    /// Without control characters but the ends of lines.
    package private(set) var text = ""

    package init() {}

    /// Nil for what is no UTF-8, too long, or has characters that move a cursor or turn the reading direction.
    package init?(bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit, let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0 == "\n" || !WireText.isDropped($0) })
        else { return nil }
        self.text = text
    }

    package var isEmpty: Bool { text.isEmpty }
    package var bytes: [UInt8] { Array(text.utf8) }

    /// - Returns: false where there is no room for it, nor for what follows.
    @discardableResult
    package mutating func append(_ word: String, beginsLine: Bool) -> Bool {
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: word.unicodeScalars.filter { !WireText.isDropped($0) })
        guard let first = kept.first else { return true }
        // Chinese and Japanese have no blanks between words.
        let needsBlank = !(first.isIdeographic && text.unicodeScalars.last?.isIdeographic == true)
        let separator = text.isEmpty ? "" : beginsLine ? "\n" : needsBlank ? " " : ""
        guard text.utf8.count + separator.utf8.count + String(kept).utf8.count <= Self.byteLimit else { return false }
        text += separator + String(kept)
        return true
    }
}

extension Unicode.Scalar {
    /// Han and Kana, with their punctuation.
    fileprivate var isIdeographic: Bool { (0x2E80...0x9FFF).contains(value) || (0xF900...0xFAFF).contains(value) }
}
