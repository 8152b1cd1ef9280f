import Bytes
package import Sealing
package import Store

/// What whoever comes to a door holds: 16 bytes, written as a code. It opens nothing; it seals and opens what the ledger
/// says of the door to those who come.
package final class DoorToken: Sendable {
    package static let byteCount = 16

    package let bytes: SecretBytes
    /// SHA-256(token)[0..<16].
    package let id: DoorID
    /// As the interface names the door to those who have its code: 22 characters of base64url, which open nothing.
    package var publicName: String { Base64URL.encode(id.bytes) }

    package init(_ bytes: consuming SecretBytes) throws {
        var hasher = try SHA256Hasher()
        try bytes.withUnsafeBytes { try hasher.update($0) }
        guard let id = DoorID(bytes: try hasher.finalize().prefix(16)) else {
            throw VaultError.internalFailure("a hash of a wrong size")
        }
        self.bytes = bytes
        self.id = id
    }

    /// Of a door's secret.
    package convenience init(ofSecret secret: borrowing SecretBytes) throws {
        let key = try deriveDoorKey(.token, from: secret)
        try self.init(
            try key.withUnsafeBytes {
                try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<Self.byteCount]))
            })
    }

    /// Of what this host itself was given to keep. What a stranger brings is a `DoorCode`, and takes a guess.
    /// - Returns: nil for anything that is no door's code, as it is typed.
    package convenience init?(ofCredential typed: UnsafeRawBufferPointer) {
        guard let bytes = CodeText.door.secret(typed: typed) else { return nil }
        do { try self.init(bytes) } catch { return nil }
    }

    /// XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX.
    package func code() throws -> String { try CodeText.door.text(of: bytes) }

    /// The device on which a program sends with the code alone. Two devices with one code are strangers to each other.
    /// - Parameter holder: as `Client.holder`: devices are told apart as far as addresses tell.
    package func sender(of holder: [UInt8]) throws -> DoorSender {
        let id = try HKDFSHA512.expand(
            bytes, info: Array("safelight/v1/door device".utf8) + holder, count: DoorSender.byteCount)
        return DoorSender(bytes: id.withUnsafeBytes { Array($0) })
    }

    /// The token by which such a program has one space on each day. It finds it again after a restart.
    /// - Parameter day: since 1970.
    package func senderToken(day: UInt32, of sender: DoorSender) throws -> SessionToken {
        try SessionToken(
            try HKDFSHA512.expand(
                bytes, info: Array("safelight/v1/door sender".utf8) + day.bigEndianBytes + sender.bytes,
                count: SessionToken.byteCount))
    }

    /// Under which this host remembers what it took for the door from a folder that is watched.
    package func inboxKey() throws -> SecretBytes {
        try HKDFSHA512.expand(bytes, info: Array("safelight/v1/inbox".utf8), count: 32)
    }

    /// Seals what the door says of itself.
    func noticeKey() throws -> SecretBytes {
        try HKDFSHA512.expand(bytes, info: Array("safelight/v1/door notice".utf8), count: 32)
    }
}

/// Says which device sent something with a door's code. Who does not have the code cannot tell which address it stands
/// for.
package struct DoorSender: Hashable, Sendable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// - Parameter bytes: 16 of them.
    package init(bytes: [UInt8]) { self.bytes = bytes }
}
