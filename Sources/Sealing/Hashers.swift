import COpenSSL

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

    /// The digest of `bytes`, in exactly 32 bytes of `output`.
    package static func hash(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws {
        guard let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self), output.count == 32 else {
            throw SealingError.invalidParameters("digest size")
        }
        try check(EVP_Digest(bytes.baseAddress, bytes.count, start, nil, Algorithms.sha256(), nil), "EVP_Digest")
    }

    /// The digest of `bytes`, 32 bytes.
    package static func hash(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            try hash(bytes, into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<32]))
            count = 32
        }
    }

    /// The digest of `bytes`, 32 bytes.
    package static func hash(_ bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try hash($0) }
    }
}

/// SHA-1 over bytes that arrive piece by piece: only to compare with what a client announces (tus makes it mandatory),
/// never for anything that must resist an attacker.
package struct SHA1Hasher: ~Copyable, Sendable {
    package static let byteCount = 20
    private var digest: DigestContext

    package init() throws {
        digest = try DigestContext(Algorithms.sha1())
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) throws {
        try digest.update(bytes)
    }

    /// The digest, 20 bytes.
    package consuming func finalize() throws -> [UInt8] {
        try digest.finalize(byteCount: Self.byteCount)
    }
}
