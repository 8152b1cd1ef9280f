/// Some JSON, of which nobody knows what it says.
enum JSONValue: Equatable {
    case text(String)
    case number(Double)
    case truth(Bool)
    case list([JSONValue])
    case object([String: JSONValue])
    case none

    /// Nil for what is no JSON, and for what is nested deeper, or has more values, than anything that says something of photos.
    static func parse(_ bytes: [UInt8]) -> JSONValue? {
        ForeignText.inUTF8(bytes).withUnsafeBytes { JSONText.value(of: $0[...]) }
    }

    subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    var string: String? { if case .text(let value) = self { value } else { nil } }
    var isTrue: Bool { if case .truth(let value) = self { value } else { false } }
    var isObject: Bool { if case .object = self { true } else { false } }

    var elements: [JSONValue] { if case .list(let values) = self { values } else { [] } }

    var isEmpty: Bool {
        switch self {
        case .text(let text): text.allSatisfy(\.isWhitespace)
        case .list(let values): values.allSatisfy(\.isEmpty)
        case .object(let members): members.values.allSatisfy(\.isEmpty)
        case .truth(let value): !value
        case .none: true
        case .number: false
        }
    }

    /// Whether a person may have said something in it: texts, be they of signs alone, and what is true. A number says nothing of
    /// a photo where nobody knows what it counts.
    var hasWords: Bool {
        switch self {
        case .list(let values): values.contains(where: \.hasWords)
        case .object(let members): members.values.contains(where: \.hasWords)
        case .text, .truth: !isEmpty
        case .number, .none: false
        }
    }

    /// A number of degrees, with whichever sign before its fraction.
    var degrees: Double? { double ?? string.flatMap { Double($0.replacing(",", with: ".")) } }

    /// What stands where a person writes, who may have written a number.
    var words: String? {
        switch self {
        case .text(let text): SidecarNote.worded(text)
        case .number(let number): Int64(exactly: number).map { String($0) } ?? String(number)
        default: nil
        }
    }

    /// It has texts of which not all could be read.
    var hasDamagedWords: Bool {
        switch self {
        case .text(let text): text.unicodeScalars.contains("\u{FFFD}")
        case .list(let values): values.contains(where: \.hasDamagedWords)
        case .object(let members):
            members.contains { $0.key.unicodeScalars.contains("\u{FFFD}") || $0.value.hasDamagedWords }
        case .number, .truth, .none: false
        }
    }

    /// Members with words that are none of those that are known.
    func words(besides known: Set<String>) -> Set<String> {
        guard case .object(let members) = self else { return [] }
        return Set(members.filter { !known.contains($0.key) && $0.value.hasWords }.keys)
    }

    /// A number, or one that is written as text.
    var double: Double? {
        switch self {
        case .number(let value): value
        case .text(let value): Double(value)
        default: nil
        }
    }
}

/// Reads JSON (RFC 8259) in one pass, whatever its text is encoded in: a caption with one bad byte must not cost the date
/// beside it. `JSONSerialization` and `JSONDecoder` of Foundation refuse such a file, keep one of two members of a name without
/// a word, and have no bound for what they make of a hostile one.
private struct JSONText {
    /// Sidecars nest four or five levels deep.
    private static let deepest = 64
    /// Those of 100,000 photos.
    private static let mostValues = 2_000_000

    private var rest: Slice<UnsafeRawBufferPointer>
    private var valueCount = 0

    private init(rest: Slice<UnsafeRawBufferPointer>) { self.rest = rest }

    static func value(of bytes: Slice<UnsafeRawBufferPointer>) -> JSONValue? {
        var text = JSONText(rest: bytes)
        guard let value = text.value(depth: 0) else { return nil }
        text.skipBlanks()
        return text.rest.isEmpty ? value : nil
    }

    private mutating func value(depth: Int) -> JSONValue? {
        valueCount += 1
        guard depth < Self.deepest, valueCount <= Self.mostValues else { return nil }
        skipBlanks()
        switch rest.first {
        case UInt8(ascii: "{"): return object(depth)
        case UInt8(ascii: "["): return list(depth)
        case UInt8(ascii: "\""): return string().map { .text($0) }
        case UInt8(ascii: "t"): return take("true") ? .truth(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .truth(false) : nil
        case UInt8(ascii: "n"): return take("null") ? JSONValue.none : nil
        default: return number()
        }
    }

    private mutating func object(_ depth: Int) -> JSONValue? {
        rest.removeFirst()
        var members: [String: JSONValue] = [:]
        if take("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard rest.first == UInt8(ascii: "\""), let key = string(), take(":"), let member = value(depth: depth + 1)
            else { return nil }
            members[key] = members[key].map { Self.both($0, member) } ?? member
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    /// Of two members of one name: what is no single value is read by nobody, and so it is named.
    private static func both(_ one: JSONValue, _ other: JSONValue) -> JSONValue {
        one == other || other.isEmpty ? one : one.isEmpty ? other : .list([one, other])
    }

    private mutating func list(_ depth: Int) -> JSONValue? {
        rest.removeFirst()
        var values: [JSONValue] = []
        if take("]") { return .list(values) }
        repeat {
            guard let element = value(depth: depth + 1) else { return nil }
            values.append(element)
        } while take(",")
        return take("]") ? .list(values) : nil
    }

    private mutating func number() -> JSONValue? {
        let digits = rest.prefix { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        rest = rest[digits.endIndex...]
        return Double(String(decoding: digits, as: UTF8.self)).map { .number($0) }
    }

    private mutating func string() -> String? {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return ForeignText.decode(bytes)
            case UInt8(ascii: "\\"):
                guard let escaped = escaped() else { return nil }
                bytes += escaped
            default: bytes.append(byte)
            }
        }
        return nil
    }

    private mutating func escaped() -> [UInt8]? {
        switch rest.popFirst() {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "u"): return scalar().map { Array(String($0).utf8) }
        case let sign?: return [sign]
        case nil: return nil
        }
    }

    /// Signs beyond the first plane are two halves; half of one is a sign that cannot be read.
    private mutating func scalar() -> Unicode.Scalar? {
        guard let first = unit() else { return nil }
        guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        let before = rest
        guard take("\\u"), let second = unit(), (0xDC00..<0xE000).contains(second) else {
            rest = before
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func unit() -> UInt32? {
        let digits = rest.prefix(4)
        guard digits.count == 4 else { return nil }
        rest = rest.dropFirst(4)
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func skipBlanks() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    /// Passes over blanks and what is expected behind them.
    private mutating func take(_ expected: StaticString) -> Bool {
        skipBlanks()
        return expected.withUTF8Buffer { expected in
            guard rest.starts(with: expected) else { return false }
            rest = rest.dropFirst(expected.count)
            return true
        }
    }
}
