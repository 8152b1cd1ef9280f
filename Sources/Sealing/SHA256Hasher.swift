/// SHA-256 over bytes that arrive piece by piece.
package struct SHA256Hasher: ~Copyable, Sendable {
    private var digest: DigestContext

    package init() throws {
        digest = try DigestContext(Algorithms.sha256())
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) throws {
        try digest.update(bytes)
    }

    /// The digest, 32 bytes.
    package consuming func finalize() throws -> [UInt8] {
        try digest.finalize(byteCount: 32)
    }

    /// The digest of `bytes`, 32 bytes.
    package static func hash(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        var hasher = try SHA256Hasher()
        try hasher.update(bytes)
        return try hasher.finalize()
    }

    /// The digest of `bytes`, 32 bytes.
    package static func hash(_ bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try hash($0) }
    }
}
