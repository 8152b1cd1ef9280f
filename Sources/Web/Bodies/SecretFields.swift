import Glibc
package import NIOCore
import Records
import Unlocking

/// The fields of a flat JSON object that carries passwords: strings, booleans and nulls; where that is asked for, also
/// whole numbers and lists of strings.
///
/// Strings are unescaped into memory that is overwritten when this value goes; none becomes a `String`.
package struct SecretFields: ~Copyable {
    private enum Value {
        case string(Range<Int>)
        case boolean(Bool)
        case number(UInt64)
        case strings([Range<Int>])
        case null
    }

    private var scratch: CleansedBytes
    private var values: [String: Value] = [:]
    private let takesLists: Bool

    /// Reads `body` and overwrites it, so that the password does not stay behind in a network buffer.
    /// - Throws: `bodyTooLarge` beyond `limit` bytes, `malformedJSON` for anything but such an object, a key given
    ///   twice, or half a surrogate pair.
    package init(body: inout ByteBuffer, limit: Int = 4096, takesLists: Bool = false) throws(WebError) {
        defer { body.wipe() }
        self.takesLists = takesLists
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
        case .boolean, .number, .strings: throw WebError.malformedJSON("\(name) must be a string")
        }
    }

    /// A whole number, or `nil` when it is missing or null.
    package func number(_ name: String) throws(WebError) -> UInt64? {
        switch values[name] {
        case .number(let value): value
        case .null, nil: nil
        case .string, .boolean, .strings: throw .malformedJSON("\(name) must be a whole number")
        }
    }

    /// A list of strings that are no secrets, or `nil` when it is missing or null.
    package func texts(_ name: String) throws(WebError) -> [String]? {
        switch values[name] {
        case .strings(let ranges):
            return try ranges.map { range throws(WebError) in
                guard let text = scratch.withBytes(in: range, { String(validating: $0, as: UTF8.self) }) else {
                    throw .malformedJSON("\(name) is not UTF-8")
                }
                return text
            }
        case .null, nil: return nil
        case .string, .boolean, .number: throw .malformedJSON("\(name) must be a list of strings")
        }
    }

    /// For what is to be changed: whoever misspells a field would believe that it was changed.
    /// - Throws: `malformedJSON` that names another one.
    package func requireKnown(_ names: Set<String>) throws(WebError) {
        guard let unknown = Set(values.keys).subtracting(names).min() else { return }
        throw .malformedJSON("nothing is called \(unknown.prefix(64)) there")
    }

    /// The value of a boolean field, or `nil` when it is missing or null.
    package func boolean(_ name: String) throws(WebError) -> Bool? {
        switch values[name] {
        case .boolean(let value): value
        case .null, nil: nil
        case .string, .number, .strings: throw .malformedJSON("\(name) must be true or false")
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
        case UInt8(ascii: "[") where takesLists: return .strings(try readStrings(&cursor))
        case UInt8(ascii: "0")...UInt8(ascii: "9") where takesLists: return .number(try cursor.readNumber())
        default: throw .malformedJSON("only strings, true, false and null are taken here")
        }
    }

    private mutating func readStrings(_ cursor: inout JSONCursor) throws(WebError) -> [Range<Int>] {
        try cursor.expect(UInt8(ascii: "["))
        if try cursor.takes(UInt8(ascii: "]")) { return [] }
        var ranges: [Range<Int>] = []
        repeat { ranges.append(try readString(&cursor)) } while try cursor.takes(UInt8(ascii: ","))
        try cursor.expect(UInt8(ascii: "]"))
        return ranges
    }
}

extension SecretFields {
    /// A field as a password; a missing one is an empty one.
    borrowing func password(_ name: String) throws -> Password {
        try withString(name) { try Password(utf8: $0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    /// What a vault is opened with: one of `password`, `recovery` and `passkey`; none is an empty password.
    /// - Throws: `recoveryCodeInvalid`, `passkeyInvalid`, `malformedJSON` for more than one.
    borrowing func vaultSecret() throws -> VaultSecret {
        let code = try recoveryCode("recovery")
        let passkey = try passkey("passkey")
        let hasPassword = try withString("password") { $0 != nil }
        switch (hasPassword, code, passkey) {
        case (_, nil, nil): return .password(try password("password"))
        case (false, .some(let code), nil): return .recovery(code)
        case (false, nil, .some(let passkey)): return .passkey(passkey)
        default: throw WebError.malformedJSON("only one of password, recovery and passkey can be given")
        }
    }

    borrowing func recoveryCode(_ name: String) throws -> RecoveryCode? {
        try withString(name) { bytes in
            guard let bytes else { return nil }
            guard let code = RecoveryCode(typed: bytes) else { throw VaultError.recoveryCodeInvalid }
            return code
        }
    }

    /// Nil for what is no door's code, or has a typing error.
    borrowing func doorCode(_ name: String) throws -> DoorCode? {
        try withString(name) { bytes in bytes.flatMap { DoorCode(typed: $0) } }
    }

    /// Nil for what is no window's code, or has a typing error.
    borrowing func windowCode(_ name: String) throws -> WindowCode? {
        try withString(name) { bytes in bytes.flatMap { WindowCode(typed: $0) } }
    }

    borrowing func passkey(_ name: String) throws -> PasskeySecret? {
        try withString(name) { bytes in
            guard let bytes else { return nil }
            guard let secret = PasskeySecret(base64URL: bytes) else { throw VaultError.passkeyInvalid }
            return secret
        }
    }

    /// A field that is no secret.
    borrowing func text(_ name: String) throws -> String? {
        try withString(name) { bytes in
            guard let bytes else { return nil }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw WebError.malformedJSON("\(name) is not UTF-8")
            }
            return text
        }
    }
}

/// The password of an `Authorization: Basic` field (RFC 7617, UTF-8); the user name before the colon is ignored.
package struct BasicCredentials: ~Copyable {
    private let decoded: CleansedBytes
    private let passwordStart: Int

    /// - Returns: `nil` for another scheme, for broken base64, or when there is no colon.
    package init?(authorization: String) {
        let bytes = authorization.utf8
        guard bytes.count <= 4096, authorization.prefix(6).lowercased() == "basic " else { return nil }
        let text = bytes.dropFirst(6).drop(while: \.isBlank)
        var decoded = CleansedBytes(capacity: text.count)
        guard Self.decodeBase64(text, into: &decoded) else { return nil }
        guard let colon = decoded.withBytes(in: 0..<decoded.count, { $0.firstIndex(of: UInt8(ascii: ":")) }) else {
            return nil
        }
        self.decoded = decoded
        passwordStart = colon + 1
    }

    /// Lends the password's bytes.
    package borrowing func withPassword<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try decoded.withBytes(in: passwordStart..<decoded.count, body)
    }

    /// Strict base64 (RFC 4648 section 4), padding optional; false when malformed.
    private static func decodeBase64(
        _ text: some Sequence<UInt8>, into target: inout CleansedBytes
    ) -> Bool {
        var bits: UInt32 = 0
        var bitCount = 0
        var padding = 0
        for byte in text {
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = byte.base64Digit else { return false }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                guard target.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))) else { return false }
            }
        }
        return padding <= 2 && bitCount < 6
    }
}

extension UInt8 {
    fileprivate var base64Digit: UInt8? {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): self - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

/// Scratch memory of a fixed size for a secret on its way in: filled once, lent out, overwritten when it goes.
struct CleansedBytes: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int) {
        memory = .allocate(byteCount: max(capacity, 1), alignment: 1)
    }

    deinit {
        Self.wipe(memory)
        memory.deallocate()
    }

    /// Appends a byte; false when the memory is full.
    mutating func append(_ byte: UInt8) -> Bool {
        guard count < memory.count else { return false }
        memory[count] = byte
        count += 1
        return true
    }

    /// Appends the UTF-8 form of a character; false when the memory is full.
    mutating func append(_ scalar: Unicode.Scalar) -> Bool {
        for byte in UTF8.encode(scalar).map(Array.init) ?? [] {
            guard append(byte) else { return false }
        }
        return true
    }

    /// Lends the bytes of `range`, cut to what is there.
    borrowing func withBytes<Result, Failure: Error>(
        in range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: memory[range.clamped(to: 0..<count)]))
    }

    /// Overwrites memory in a way that the optimiser may not leave out.
    static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let base = memory.baseAddress else { return }
        explicit_bzero(base, memory.count)
    }
}

extension ByteBuffer {
    /// Overwrites the readable bytes where they lie, in every buffer that shares their memory.
    ///
    /// Copying first, as ordinary writes do for shared memory, would leave the secret in the original. The bytes are a
    /// request body's own range of the memory, which nobody else reads: what went before is decoded already, and what
    /// follows belongs to a range of its own.
    mutating func wipe() {
        withVeryUnsafeBytes { memory in
            let readable = memory[readerIndex..<writerIndex]
            CleansedBytes.wipe(UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(rebasing: readable)))
        }
        clear()
    }
}
