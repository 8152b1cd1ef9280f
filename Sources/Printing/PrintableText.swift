/// What may be written to a terminal. Literals are this program's own words; whatever is put into them, such as the name
/// of a photo, of a file or of a host, or the text of an error, is made printable and stays on its line. There is no way
/// to print a `String` without that.
package struct PrintableText: ExpressibleByStringInterpolation, CustomStringConvertible, Sendable {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }
        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation<T>(_ value: T) { text += String(describing: value).printable }
        package mutating func appendInterpolation(_ text: PrintableText) { self.text += text.string }
    }

    package let string: String
    package var description: String { string }

    package init(stringLiteral literal: String) { string = literal }
    package init(stringInterpolation: StringInterpolation) { string = stringInterpolation.text }

    /// Text whose line ends are meant: each of its lines is made printable.
    package init(lines text: String) {
        string = text.split(separator: "\n", omittingEmptySubsequences: false).map(\.printable).joined(separator: "\n")
    }

    /// What this program has drawn itself, with the colours that it takes. Never anything from outside.
    package init(drawing: String) { string = drawing }

    package static func + (one: PrintableText, other: PrintableText) -> PrintableText {
        PrintableText(drawing: one.string + other.string)
    }
}

extension Sequence where Element == PrintableText {
    package func joined(separator: PrintableText) -> PrintableText {
        PrintableText(drawing: map(\.string).joined(separator: separator.string))
    }
}

extension Unicode.Scalar {
    /// Whether it shows as itself wherever it is printed: in a terminal, a line of a log, a file name. Control characters
    /// (C0, DEL, C1) rule terminals, separators of lines and paragraphs end a line of a log, and what Unicode calls
    /// format characters cannot be seen, or turns the order of what stands around it (UAX #9).
    package var isPrintable: Bool {
        switch value {
        case 0x20...0x7E: return true
        // Without the joiners emoji fall apart, and Persian and Indic words are misspelt.
        case 0x200C, 0x200D: return true
        // Arabic and Kaithi signs before a number, which have a shape of their own.
        case 0x600...0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD: return true
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
        default: return !properties.isNoncharacterCodePoint
        }
    }
}

extension StringProtocol {
    /// This text on one line that does to a terminal nothing but show it: `\u{1B}` stands for ESC, and so on.
    package var printable: String {
        replacing({ !$0.isPrintable }, by: { "\\u{\(String($0.value, radix: 16, uppercase: true))}" })
    }

    /// This text as a part of a path: `_` stands for separators and for what is not printable.
    package var pathComponent: String {
        replacing({ !$0.isPrintable || $0 == "/" || $0 == "\\" }, by: { _ in "_" })
    }

    /// By scalars: with what is combined with it, even a slash is another `Character`.
    private func replacing(_ condition: (Unicode.Scalar) -> Bool, by stand: (Unicode.Scalar) -> String) -> String {
        guard let first = unicodeScalars.firstIndex(where: condition) else { return String(self) }
        var text = String.UnicodeScalarView(unicodeScalars[..<first])
        for scalar in unicodeScalars[first...] {
            if condition(scalar) { text.append(contentsOf: stand(scalar).unicodeScalars) } else { text.append(scalar) }
        }
        return String(text)
    }
}
