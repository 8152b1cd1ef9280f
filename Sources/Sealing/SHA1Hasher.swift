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
