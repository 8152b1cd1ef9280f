internal import Crypto
internal import Foundation

/// The keys that a door's secret of 32 bytes gives.
package enum DoorKeyPurpose: String, Sendable {
    /// What whoever comes holds: its first 16 bytes.
    case token = "door token"
    /// From which the door's key pair is made.
    case seed = "door seed"
}

/// The key for `purpose`, 32 bytes, of a door's secret of 32.
package func deriveDoorKey(_ purpose: DoorKeyPurpose, from secret: borrowing SecretBytes) throws -> SecretBytes {
    try deriveKey(labelled: purpose.rawValue, from: secret)
}

/// Seals small messages so that only whoever has the seed of a door opens them: HPKE (RFC 9180), base mode, with X-Wing
/// (ML-KEM-768 and X25519), SHA-256 and AES-256-GCM.
///
/// The library keeps keys in memory of its own, which it wipes, for as long as one call takes.
package enum DoorSeal {
    package static let publicKeyByteCount = 1216
    package static let encapsulatedKeyByteCount = 1120
    private static let tagByteCount = 16
    private static let suite = HPKE.Ciphersuite.XWingMLKEM768X25519_SHA256_AES_GCM_256
    private static let info = Data("safelight/v1/arrival".utf8)

    /// Bytes of the message that holds `plaintext` bytes: the encapsulated key, the sealed bytes, a tag.
    package static func sealedByteCount(_ plaintext: Int) -> Int { encapsulatedKeyByteCount + plaintext + tagByteCount }

    /// 1,216 bytes. `seed`: 32.
    package static func publicKey(ofSeed seed: borrowing SecretBytes) throws -> [UInt8] {
        Array(try privateKey(seed).publicKey.rawRepresentation)
    }

    /// - Parameter context: what the message belongs to; it opens together with that alone.
    package static func seal(
        _ plaintext: borrowing SecretBytes, to publicKey: [UInt8], context: [UInt8]
    ) throws -> [UInt8] {
        do {
            let key = try XWingMLKEM768X25519.PublicKey(rawRepresentation: publicKey)
            var sender = try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: info)
            let sealed = try plaintext.withUnsafeBytes { try sender.seal($0, authenticating: context) }
            return Array(sender.encapsulatedKey) + sealed
        } catch {
            throw SealingError.cryptographyFailed("HPKE seal")
        }
    }

    /// Nil for a message to another door, and for one that was changed.
    /// - Throws: `SealingError.memoryNotLockable`.
    package static func open(
        _ message: [UInt8], seed: borrowing SecretBytes, context: [UInt8]
    ) throws -> SecretBytes? {
        guard message.count >= sealedByteCount(0) else { return nil }
        let key = try privateKey(seed)
        let (encapsulated, sealed) = (message[..<encapsulatedKeyByteCount], message[encapsulatedKeyByteCount...])
        guard
            var recipient = try? HPKE.Recipient(
                privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: Data(encapsulated)),
            var plaintext = try? recipient.open(sealed, authenticating: context)
        else { return nil }
        defer { plaintext.withUnsafeMutableBytes { cleanse($0) } }
        return try SecretBytes(count: plaintext.count) { _ = plaintext.copyBytes(to: $0) }
    }

    private static func privateKey(_ seed: borrowing SecretBytes) throws -> XWingMLKEM768X25519.PrivateKey {
        do {
            return try seed.withUnsafeBytes {
                try XWingMLKEM768X25519.PrivateKey(seedRepresentation: $0, publicKey: nil)
            }
        } catch {
            throw SealingError.cryptographyFailed("X-Wing key")
        }
    }
}
