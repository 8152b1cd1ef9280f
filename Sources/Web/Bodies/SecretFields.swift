package import NIOCore

/// The fields of a flat JSON object that carries passwords: strings, booleans and nulls, nothing nested.
///
/// Strings are unescaped into memory that is overwritten when this value goes; none becomes a `String`.
package struct SecretFields: ~Copyable {
    private enum Value {
        case string(Range<Int>)
        case boolean(Bool)
        case null
    }

    private var scratch: CleansedBytes
    private var values: [String: Value] = [:]

    /// Reads `body` and overwrites it, so that the password does not stay behind in a network buffer.
    /// - Throws: `bodyTooLarge` beyond `limit` bytes, `malformedJSON` for anything but such an object, a key given
    ///   twice, or half a surrogate pair.
    package init(body: inout ByteBuffer, limit: Int = 4096) throws(WebError) {
        defer { body.wipe() }
        scratch = CleansedBytes(capacity: min(body.readableBytes, limit))
        guard body.readableBytes <= limit else { throw .bodyTooLarge(limit: limit) }
        // The bytes are only read through the cursor, which goes before this scope does.
        var cursor = JSONCursor(bytes: body.readableBytesView)
        try cursor.expect(UInt8(ascii: "{"))
        if try cursor.takes(UInt8(ascii: "}")) {
            try cursor.expectEnd()
            return
        }
        repeat {
            let name = try readKey(&cursor)
            try cursor.expect(UInt8(ascii: ":"))
            guard values.updateValue(try readValue(&cursor), forKey: name) == nil else {
                throw .malformedJSON("a field is given twice")
            }
        } while try cursor.takes(UInt8(ascii: ","))
        try cursor.expect(UInt8(ascii: "}"))
        try cursor.expectEnd()
    }

    /// Lends the bytes of a string field, or `nil` when the field is missing or null.
    /// - Throws: `malformedJSON` for another type, or what `body` throws.
    package borrowing func withString<Result>(
        _ name: String, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) throws -> Result {
        switch values[name] {
        case .string(let range): try scratch.withBytes(in: range, body)
        case .null, nil: try body(nil)
        case .boolean: throw WebError.malformedJSON("\(name) must be a string")
        }
    }

    /// The value of a boolean field, or `nil` when it is missing or null.
    package func boolean(_ name: String) throws(WebError) -> Bool? {
        switch values[name] {
        case .boolean(let value): value
        case .null, nil: nil
        case .string: throw .malformedJSON("\(name) must be true or false")
        }
    }

    private mutating func readKey(_ cursor: inout JSONCursor) throws(WebError) -> String {
        let range = try readString(&cursor)
        guard let key = scratch.withBytes(in: range, { String(validating: $0, as: UTF8.self) }) else {
            throw .malformedJSON("a field's name is not UTF-8")
        }
        return key
    }

    private mutating func readString(_ cursor: inout JSONCursor) throws(WebError) -> Range<Int> {
        let start = scratch.count
        try cursor.readString(into: &scratch)
        return start..<scratch.count
    }

    private mutating func readValue(_ cursor: inout JSONCursor) throws(WebError) -> Value {
        switch try cursor.peek() {
        case UInt8(ascii: "\""): return .string(try readString(&cursor))
        case UInt8(ascii: "t"):
            try cursor.expect(word: "true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try cursor.expect(word: "false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try cursor.expect(word: "null")
            return .null
        default: throw .malformedJSON("only strings, true, false and null are taken here")
        }
    }
}
