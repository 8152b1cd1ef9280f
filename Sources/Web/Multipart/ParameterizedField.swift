/// A header value with parameters, such as `form-data; name="photos"; filename="a.jpg"`.
///
/// Values stay bytes: whether they are UTF-8 is for the reader of each parameter to decide. Linear in the input.
package struct ParameterizedField: Equatable, Sendable {
    /// How a quoted value writes the characters that would end it.
    package enum Quoting: Sendable {
        /// RFC 9110: a backslash takes any next character literally.
        case header
        /// HTML forms: `%22`, `%0D` and `%0A` stand for `"`, CR and LF; a backslash is an ordinary character, except
        /// before a quote that is not the last one, as some other clients write.
        case form
    }

    package struct Malformed: Error {}

    /// The part before the first semicolon, in lower case.
    package let value: String
    /// Parameters by their name in lower case. A name given twice makes the field malformed.
    package let parameters: [String: [UInt8]]

    package init(parsing bytes: [UInt8], quoting: Quoting) throws(Malformed) {
        var reader = Reader(bytes: bytes[...], quoting: quoting)
        guard let value = reader.readToken(until: UInt8(ascii: ";")), !value.isEmpty else { throw Malformed() }
        self.value = value
        var parameters: [String: [UInt8]] = [:]
        while let (name, value) = try reader.readParameter() {
            guard parameters.updateValue(value, forKey: name) == nil else { throw Malformed() }
        }
        self.parameters = parameters
    }
}

/// A cursor over the bytes of one field value.
private struct Reader {
    var bytes: ArraySlice<UInt8>
    let quoting: ParameterizedField.Quoting

    /// The text up to `end` or the end of the field, in lower case and without surrounding space; `nil` when it holds
    /// anything but visible ASCII.
    mutating func readToken(until end: UInt8) -> String? {
        let token = bytes.prefix { $0 != end }
        bytes = bytes[token.endIndex...]
        let trimmed = token.trimmingBlanks()
        guard trimmed.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") }) else { return nil }
        return String(decoding: trimmed, as: UTF8.self).lowercased()
    }

    /// The next `; name=value`, or `nil` at the end. A lone trailing semicolon is tolerated.
    mutating func readParameter() throws(ParameterizedField.Malformed) -> (String, [UInt8])? {
        bytes = bytes.drop(while: \.isBlank)
        guard bytes.popFirst() == UInt8(ascii: ";") else {
            guard bytes.isEmpty else { throw ParameterizedField.Malformed() }
            return nil
        }
        bytes = bytes.drop(while: \.isBlank)
        guard !bytes.isEmpty else { return nil }
        guard let name = readToken(until: UInt8(ascii: "=")), !name.isEmpty,
            bytes.popFirst() == UInt8(ascii: "=")
        else { throw ParameterizedField.Malformed() }
        bytes = bytes.drop(while: \.isBlank)
        guard bytes.first == UInt8(ascii: "\"") else {
            let value = bytes.prefix { $0 != UInt8(ascii: ";") }
            bytes = bytes[value.endIndex...]
            return (name, Array(value.trimmingBlanks()))
        }
        bytes.removeFirst()
        return (name, try readQuoted())
    }

    private mutating func readQuoted() throws(ParameterizedField.Malformed) -> [UInt8] {
        guard let last = bytes.lastIndex(of: UInt8(ascii: "\"")) else { throw ParameterizedField.Malformed() }
        var value: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return value
            case UInt8(ascii: "\\") where quoting == .header:
                guard let next = bytes.popFirst() else { throw ParameterizedField.Malformed() }
                value.append(next)
            case UInt8(ascii: "\\") where bytes.first == UInt8(ascii: "\"") && bytes.startIndex < last:
                value.append(bytes.removeFirst())
            case UInt8(ascii: "%") where quoting == .form:
                value.append(readFormEscape() ?? byte)
            default:
                value.append(byte)
            }
        }
        throw ParameterizedField.Malformed()
    }

    /// The character of `%22`, `%0D` or `%0A`, the only three that the HTML standard escapes here.
    private mutating func readFormEscape() -> UInt8? {
        let escapes: [([UInt8], UInt8)] = [
            (Array("22".utf8), UInt8(ascii: "\"")), (Array("0D".utf8), 0x0d), (Array("0A".utf8), 0x0a),
        ]
        for (digits, character) in escapes where bytes.starts(with: digits) {
            bytes = bytes.dropFirst(digits.count)
            return character
        }
        return nil
    }
}

extension UInt8 {
    /// Space or tab: what may stand around the pieces of a header field.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension BidirectionalCollection<UInt8> where SubSequence == Self {
    func trimmingBlanks() -> Self {
        var slice = drop(while: \.isBlank)
        while let last = slice.last, last.isBlank { slice.removeLast() }
        return slice
    }
}
