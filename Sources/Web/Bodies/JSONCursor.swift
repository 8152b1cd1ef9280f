import Bytes
import NIOCore

/// Reads the tokens of a flat JSON object (RFC 8259) from bytes.
struct JSONCursor {
    private let bytes: ByteBufferView
    private var index: Int

    init(bytes: ByteBufferView) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// The next byte behind white space, left in place.
    mutating func peek() throws(WebError) -> UInt8 {
        while index < bytes.endIndex, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[index]) { index += 1 }
        guard index < bytes.endIndex else { throw .malformedJSON("the body ends too early") }
        return bytes[index]
    }

    /// Takes `byte` if it is next.
    mutating func takes(_ byte: UInt8) throws(WebError) -> Bool {
        guard try peek() == byte else { return false }
        index += 1
        return true
    }

    mutating func expect(_ byte: UInt8) throws(WebError) {
        guard try takes(byte) else {
            throw .malformedJSON("\"\(Character(Unicode.Scalar(byte)))\" is missing")
        }
    }

    mutating func expect(word: String) throws(WebError) {
        guard bytes[index...].starts(with: word.utf8) else { throw .malformedJSON("\(word) is misspelt") }
        index += word.utf8.count
    }

    mutating func expectEnd() throws(WebError) {
        while index < bytes.endIndex, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[index]) { index += 1 }
        guard index == bytes.endIndex else { throw .malformedJSON("something follows the object") }
    }

    /// Unescapes the next string into `target`. Whether it is UTF-8 is not looked at.
    mutating func readString(into target: inout CleansedBytes) throws(WebError) {
        try expect(UInt8(ascii: "\""))
        while true {
            switch try take() {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try keep(target.append(try readEscape()))
            case 0..<0x20: throw .malformedJSON("a string holds a control character")
            case let byte: try keep(target.append(byte))
            }
        }
    }

    /// The next whole number: of at most 16 digits, without sign, point or exponent.
    mutating func readNumber() throws(WebError) -> UInt64 {
        let digits = bytes[index...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count <= 16, let number = UInt64(String(decoding: digits, as: UTF8.self)) else {
            throw .malformedJSON("a number is no whole one, or too large")
        }
        index += digits.count
        return number
    }

    private func keep(_ hasRoom: Bool) throws(WebError) {
        guard hasRoom else { throw .malformedJSON("a string is too long") }
    }

    private mutating func take() throws(WebError) -> UInt8 {
        guard index < bytes.endIndex else { throw .malformedJSON("a string does not end") }
        defer { index += 1 }
        return bytes[index]
    }

    private mutating func readEscape() throws(WebError) -> Unicode.Scalar {
        switch try take() {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        default: throw .malformedJSON("a string holds an unknown escape")
        }
    }

    private mutating func readUnicodeEscape() throws(WebError) -> Unicode.Scalar {
        let first = try readFourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), try take() == UInt8(ascii: "\\"), try take() == UInt8(ascii: "u") else {
            throw .malformedJSON("a string holds half a surrogate pair")
        }
        let second = try readFourDigits()
        guard UTF16.isTrailSurrogate(second) else { throw .malformedJSON("a string holds half a surrogate pair") }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func readFourDigits() throws(WebError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = try take().hexadecimalDigit else {
                throw .malformedJSON("a string holds a broken \\u escape")
            }
            value = value << 4 | UInt16(digit)
        }
        return value
    }
}

/// What a body in JSON consists of, counted before anything is made of it.
enum JSONShape {
    /// No body that is read here lies deeper than five.
    static let mostDepth = 16
    /// Bytes of a field's name, as it is written. A decoder looks names up by their normal form, and of letters with many
    /// marks that takes a time that grows with the square of their number: minutes for one name as long as a body.
    static let longestName = 256
    /// What a decoder keeps of one value, beside its text.
    private static let bytesPerValue = 64

    /// Takes the document's values, and the memory that reading them takes. Whether it is JSON is found by the decoder.
    /// - Throws: `malformedJSON` for one that lies too deep, or has too long a name, is not in UTF-8, or has texts that cannot
    ///   be compared in a short time; `Spent`.
    static func take(_ bytes: ByteBufferView, from allowance: Allowance) throws {
        guard areComparable(bytes) else {
            throw WebError.malformedJSON("it has too many marks on one character")
        }
        var (count, depth, isInString, isEscaped) = (1, 0, false, false)
        // Of the string that was read last: the name of what follows behind a colon.
        var stringByteCount = 0
        for byte in bytes {
            // A decoder reads UTF-16 and UTF-32, too, of which every bracket has such a byte, and others look like brackets.
            guard byte != 0 else { throw WebError.malformedJSON("it is not UTF-8") }
            if isInString {
                stringByteCount += 1
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): (isInString, stringByteCount) = (true, 0)
            case UInt8(ascii: ","): count += 1
            case UInt8(ascii: ":"):
                count += 1
                guard stringByteCount <= longestName else { throw WebError.malformedJSON("a field's name is too long") }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                (count, depth) = (count + 1, depth + 1)
                guard depth <= mostDepth else { throw WebError.malformedJSON("its lists and objects lie too deep") }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        try allowance.take(.names, count)
        // The bytes are copied once, and once more as the values that are made of them.
        try allowance.take(.memory, 2 * bytes.count + count * bytesPerValue)
    }

    /// In a short time. Of texts as they are once their escapes are read, `\u0301` again and again among them.
    private static func areComparable(_ bytes: ByteBufferView) -> Bool {
        // No name of a file, of which the page asks many at once, has room for as many.
        var marks = MarkCounter(most: 256)
        // The first half of what takes two escapes.
        var high: UInt32?
        var scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.makeIterator()
        while var scalar = scalars.next() {
            if scalar == "\\", let escape = scalars.next() {
                var value = escape == "u" ? readEscape(&scalars) : escape.value
                if let first = high, (0xDC00..<0xE000).contains(value) {
                    value = 0x10000 + ((first - 0xD800) << 10) + (value - 0xDC00)
                }
                high = (0xD800..<0xDC00).contains(value) ? value : nil
                if high != nil { continue }
                scalar = Unicode.Scalar(value) ?? "u"
            }
            guard marks.isSafe(with: scalar) else { return false }
        }
        return true
    }

    /// What four digits stand for.
    private static func readEscape(_ scalars: inout String.UnicodeScalarView.Iterator) -> UInt32 {
        (0..<4).reduce(0) { value, _ in
            let digit = scalars.next().flatMap { UInt8(exactly: $0.value) }.flatMap(\.hexadecimalDigit)
            return value << 4 | UInt32(digit ?? 0)
        }
    }
}
