/// The Stream-Safe Text Format of Unicode (UAX #15, 13), for what others sent: at most thirty marks stand behind a letter.
///
/// Texts are compared, hashed and looked up by their normal form, and of a letter with many marks that takes the square of
/// their number: seconds for 64 KiB. No language has more than a few.
package struct MarkCounter {
    private let most: Int
    private var count = 0

    /// - Parameter most: marks in a row; more than the format's thirty where the names of files are not to be refused.
    package init(most: Int = 30) { self.most = most }

    /// Whether the text is still in that form with what comes next.
    package mutating func isSafe(with scalar: Unicode.Scalar) -> Bool {
        count = scalar.isMark ? count + 1 : 0
        return count <= most
    }
}

extension StringProtocol {
    /// One pass over its scalars, or over its bytes: none of a scalar below the first mark is as large as that one's first.
    package var isStreamSafe: Bool {
        if utf8.withContiguousStorageIfAvailable({ $0.allSatisfy { $0 < 0xCC } }) == true { return true }
        var marks = MarkCounter()
        return unicodeScalars.allSatisfy { marks.isSafe(with: $0) }
    }

    /// Without blanks and ends of lines around it. Scalar by scalar: to go back by characters takes the square of the length
    /// of a row of flags.
    package func trimmingWhitespace() -> String {
        let scalars = unicodeScalars
        let isShown = { (scalar: Unicode.Scalar) in !scalar.properties.isWhitespace }
        guard let first = scalars.firstIndex(where: isShown), let last = scalars.lastIndex(where: isShown) else {
            return ""
        }
        return String(String.UnicodeScalarView(scalars[first...last]))
    }

    /// Without the marks beyond that, for what is better kept under a shorter name than refused.
    package var streamSafe: String {
        if isStreamSafe { return String(self) }
        var marks = MarkCounter()
        return String(String.UnicodeScalarView(unicodeScalars.filter { marks.isSafe(with: $0) }))
    }
}

extension Unicode.Scalar {
    /// Whether it is put together with the letter before it; below these numbers none is.
    fileprivate var isMark: Bool {
        value >= 0x300 && (properties.isGraphemeExtend || properties.canonicalCombiningClass != .notReordered)
    }
}
