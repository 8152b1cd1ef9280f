import Bytes
package import Sealing
package import Store

/// What a browser holds a session by: 32 random bytes. The daemon keeps it nowhere; on disk stands, where the session
/// is to outlive the daemon, a row that opens under it only.
package final class SessionToken: Sendable {
    package static let byteCount = 32

    package let bytes: SecretBytes
    /// SHA-256; its first half is the id of the session's row.
    package let hash: [UInt8]

    package init() throws {
        bytes = try SecretBytes(random: Self.byteCount)
        hash = try Self.hash(of: bytes)
    }

    /// One that is derived from another secret.
    init(_ bytes: consuming SecretBytes) throws {
        hash = try Self.hash(of: bytes)
        self.bytes = bytes
    }

    /// - Parameter text: of a cookie. Nil for anything that `text` does not give.
    package init?(text: String) {
        guard text.utf8.count == 43, var decoded = Base64URL.decode(text), decoded.count == Self.byteCount else {
            return nil
        }
        defer { wipe(&decoded) }
        guard let bytes = try? SecretBytes(copying: decoded), let hash = try? Self.hash(of: bytes) else { return nil }
        self.bytes = bytes
        self.hash = hash
    }

    /// The token as the cookie carries it: 43 characters of base64url.
    package var text: String { bytes.withUnsafeBytes { Base64URL.encode(Array($0)) } }

    package func id() throws -> SessionID {
        guard let id = SessionID(bytes: hash.prefix(16)) else {
            throw VaultError.internalFailure("a hash of a wrong size")
        }
        return id
    }

    private static func hash(of bytes: borrowing SecretBytes) throws -> [UInt8] {
        var hasher = try SHA256Hasher()
        try bytes.withUnsafeBytes { try hasher.update($0) }
        return try hasher.finalize()
    }
}
