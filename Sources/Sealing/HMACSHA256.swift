/// HMAC-SHA-256 under a long-lived key; keeps its keyed context. One user at a time, which `mutating` ensures.
package struct HMACSHA256: ~Copyable, Sendable {
    package static let byteCount = 32
    private var hash: KeyedHash

    package init(key: borrowing SecretBytes) throws {
        hash = try KeyedHash(.sha256, key: key)
    }

    /// The code (32 bytes) of the parts, one after the other. Nothing separates them: their use fixes the lengths.
    package mutating func authenticate(_ parts: [UInt8]...) throws -> [UInt8] {
        try hash.begin()
        for part in parts { try hash.update(part) }
        var code = [UInt8](repeating: 0, count: Self.byteCount)
        try code.withUnsafeMutableBytes { (output: UnsafeMutableRawBufferPointer) in try hash.end(into: output) }
        return code
    }

    /// `output` takes exactly 32 bytes.
    package mutating func authenticate(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws {
        try hash.begin()
        try hash.update(bytes)
        try hash.end(into: output)
    }
}
