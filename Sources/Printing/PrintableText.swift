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
