import CHPKE

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
    package static let publicKeyByteCount = Int(SAFELIGHT_HPKE_PUBLIC_KEY_SIZE)
    package static let encapsulatedKeyByteCount = Int(SAFELIGHT_HPKE_ENCAPSULATED_KEY_SIZE)
    private static let tagByteCount = Int(SAFELIGHT_HPKE_TAG_SIZE)
    private static let info = Array("safelight/v1/arrival".utf8)

    /// Bytes of the message that holds `plaintext` bytes: the encapsulated key, the sealed bytes, a tag.
    package static func sealedByteCount(_ plaintext: Int) -> Int { encapsulatedKeyByteCount + plaintext + tagByteCount }

    /// 1,216 bytes. `seed`: 32.
    package static func publicKey(ofSeed seed: borrowing SecretBytes) throws -> [UInt8] {
        var key = [UInt8](repeating: 0, count: publicKeyByteCount)
        try withSeed(seed) { try check(safelight_hpke_public_key($0, &key), "X-Wing key") }
        return key
    }

    /// - Parameter context: what the message belongs to; it opens together with that alone.
    package static func seal(
        _ plaintext: borrowing SecretBytes, to publicKey: [UInt8], context: [UInt8]
    ) throws -> [UInt8] {
        guard publicKey.count == publicKeyByteCount else { throw SealingError.invalidParameters("public key size") }
        var message = [UInt8](repeating: 0, count: sealedByteCount(plaintext.count))
        let result = plaintext.withUnsafeBytes { plaintext in
            withLibraryBytes(info) { info in
                withLibraryBytes(context) { context in
                    safelight_hpke_seal(.init(plaintext), publicKey, info, context, &message)
                }
            }
        }
        try check(result, "HPKE seal")
        return message
    }

    /// Nil for a message to another door, and for one that was changed.
    /// - Throws: `SealingError.memoryNotLockable`.
    package static func open(
        _ message: [UInt8], seed: borrowing SecretBytes, context: [UInt8]
    ) throws -> SecretBytes? {
        guard message.count >= sealedByteCount(0) else { return nil }
        var result: Int32 = -1
        let plaintext = try SecretBytes(count: message.count - sealedByteCount(0)) { output in
            result = try withSeed(seed) { seed in
                withLibraryBytes(message) { message in
                    withLibraryBytes(info) { info in
                        withLibraryBytes(context) { context in
                            safelight_hpke_open(
                                message, seed, info, context, output.baseAddress?.assumingMemoryBound(to: UInt8.self))
                        }
                    }
                }
            }
        }
        guard result >= 0 else { throw SealingError.cryptographyFailed("HPKE open") }
        guard result == 1 else { return nil }
        return plaintext
    }

    private static func withSeed<R>(
        _ seed: borrowing SecretBytes, _ body: (UnsafePointer<UInt8>?) throws -> R
    ) throws -> R {
        guard seed.count == Int(SAFELIGHT_HPKE_SEED_SIZE) else { throw SealingError.invalidParameters("seed size") }
        return try seed.withUnsafeBytes { try body($0.baseAddress?.assumingMemoryBound(to: UInt8.self)) }
    }

    private static func withLibraryBytes<R>(_ bytes: [UInt8], _ body: (safelight_hpke_bytes) -> R) -> R {
        bytes.withUnsafeBytes { body(.init($0)) }
    }
}

extension safelight_hpke_bytes {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        self.init(start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }
}
