import Bytes

/// The pseudorandom key of a password (or of another way into a vault): it says which slots are its own and opens them.
package struct SlotRoot: ~Copyable, Sendable {
    package static let replicaCount = 12
    /// In the table. Whoever makes a secret overwrites twelve of them wherever they fall, so there are so many that a vault
    /// which nobody opens keeps some of its own for ten years of as many changes as the limits allow: docs/format.md has the
    /// sum.
    package static let slotCount: UInt32 = 1 << 18
    private let prk: SecretBytes

    init(prk: consuming SecretBytes) {
        self.prk = prk
    }

    /// One run of Argon2id, about a second with default parameters: never on an event loop or the cooperative pool.
    ///
    /// The record is mixed in, so parameters that somebody edited lead to other slots, never to weaker ones. `pepper` is
    /// used when the record asks for one, and left out when not (an older record beside a newer one).
    ///
    /// - Throws: `SealingError.invalidParameters` when the record is out of bounds or its pepper is missing or another.
    package static func derive(
        password: borrowing SecretBytes, hostSalt: [UInt8], record: KDFRecord, pepper: SharedSecret?
    ) throws -> SlotRoot {
        try record.validate(unsafe: true)
        let salt = try extractSalt(record, pepper)
        let root = try Argon2id.derive(
            password: password, salt: hostSalt, iterations: record.iterations, memoryKiB: record.memoryKiB)
        return SlotRoot(prk: try salt.withUnsafeBytes { try HKDFSHA512.extract(salt: $0, keyMaterial: root) })
    }

    /// The 12 distinct places, 0 ..< `slotCount`, of the replicas, in order.
    package borrowing func slotPositions() throws -> [UInt32] {
        var positions: [UInt32] = []
        var number: UInt32 = 0
        while positions.count < Self.replicaCount {
            let info = Array("safelight/v1/pos".utf8) + number.bigEndianBytes
            let bytes = try HKDFSHA512.expand(prk, info: info, count: 4)
            let position = bytes.withUnsafeBytes { $0.bigEndian(UInt32.self, at: 0) } % Self.slotCount
            if !positions.contains(position) { positions.append(position) }
            number += 1
        }
        return positions
    }

    /// The key that seals the slots, 32 bytes.
    package borrowing func slotKey() throws -> SecretBytes {
        try HKDFSHA512.expand(prk, info: Array("safelight/v1/kek".utf8), count: 32)
    }

    /// Seals the key of a window's list, 32 bytes; of a password that was stretched under `WindowSecret.salt`.
    package borrowing func lockKey(ofWindow token: borrowing SecretBytes) throws -> SecretBytes {
        try WindowSecret.lockKey(of: token, with: prk)
    }

    /// SHA-512 of the record, followed by the pepper. Secret, for the pepper is.
    private static func extractSalt(_ record: KDFRecord, _ pepper: SharedSecret?) throws -> SecretBytes {
        let digest = try sha512(record.encoded)
        guard let expected = record.pepperCheck else { return try SecretBytes(copying: digest) }
        guard let pepper else { throw SealingError.invalidParameters("a pepper is required") }
        guard try KDFRecord.check(ofPepper: pepper.bytes) == expected else {
            throw SealingError.invalidParameters("another pepper is required")
        }
        return try pepper.bytes.withUnsafeBytes { pepper in
            try SecretBytes(count: digest.count + pepper.count) { salt in
                salt.copyBytes(from: digest)
                UnsafeMutableRawBufferPointer(rebasing: salt[digest.count...]).copyMemory(from: pepper)
            }
        }
    }
}

/// Secrets that are drawn at random and as long as a key, beside passwords, which are neither.
package enum SlotSecretKind: String, Sendable {
    /// What a printed code stands for: 16 bytes.
    case recovery
    /// The output of an authenticator's pseudorandom function: 32 bytes.
    case passkey
}

extension SlotRoot {
    /// Without Argon2: that makes guessing a password expensive, and nobody guesses 128 bits.
    ///
    /// The kind is mixed in, so that the same bytes as a secret of another kind lead to other slots.
    ///
    /// - Parameters:
    ///   - hostSalt: 16 bytes.
    ///   - pepper: of a host whose KDF record asks for one.
    /// - Throws: `SealingError.invalidParameters` for a secret of less than 16 bytes.
    package static func derive(
        secret: borrowing SecretBytes, of kind: SlotSecretKind, hostSalt: [UInt8], pepper: SharedSecret?
    ) throws -> SlotRoot {
        guard secret.count >= 16 else { throw SealingError.invalidParameters("slot secret size") }
        let salt = try extractSalt(Array("safelight/v1/\(kind.rawValue)".utf8) + hostSalt, pepper)
        return SlotRoot(prk: try salt.withUnsafeBytes { try HKDFSHA512.extract(salt: $0, keyMaterial: secret) })
    }

    /// Secret, for the pepper is.
    private static func extractSalt(_ label: [UInt8], _ pepper: SharedSecret?) throws -> SecretBytes {
        guard let pepper else { return try SecretBytes(copying: label) }
        return try pepper.bytes.withUnsafeBytes { pepper in
            try SecretBytes(count: label.count + pepper.count) { salt in
                salt.copyBytes(from: label)
                UnsafeMutableRawBufferPointer(rebasing: salt[label.count...]).copyMemory(from: pepper)
            }
        }
    }
}

/// What a key slot holds: the key of a vault, and what a change of password needs to be finished later.
///
/// Plaintext, 184 bytes, big-endian:
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 1 | type |
/// | 1 | 1 | flags |
/// | 2 | 2 | epoch |
/// | 4 | 32 | vault key |
/// | 36 | 16 | vault uid |
/// | 52 | 8 | generation |
/// | 60 | 4 | created day |
/// | 64 | 12 × 3 | positions of the slots before the change |
/// | 100 | 12 × 4 | their hashes |
/// | 148 | 36 | zero |
package struct SlotPayload: ~Copyable, Sendable {
    /// Bytes of a sealed slot.
    package static let slotByteCount = 256
    static let plaintextByteCount = 184

    package var type: UInt8
    package var flags: UInt8
    package var epoch: UInt16
    /// 32 bytes.
    package let vaultKey: SecretBytes
    /// 16 bytes.
    package let vaultUID: [UInt8]
    /// The highest generation among the replicas is the valid one.
    package var generation: UInt64
    /// Days since 1970-01-01.
    package let createdDay: UInt32
    /// 12 positions; zeros if none.
    package var oldPositions: [UInt32]
    /// 12 hashes of 4 bytes, see `slotHash`; zeros if none.
    package var oldHashes: [[UInt8]]

    package init(
        type: UInt8, flags: UInt8, epoch: UInt16, vaultKey: consuming SecretBytes, vaultUID: [UInt8],
        generation: UInt64, createdDay: UInt32,
        oldPositions: [UInt32] = Array(repeating: 0, count: SlotRoot.replicaCount),
        oldHashes: [[UInt8]] = Array(
            repeating: Array(repeating: 0, count: slotHashByteCount), count: SlotRoot.replicaCount)
    ) {
        self.type = type
        self.flags = flags
        self.epoch = epoch
        self.vaultKey = vaultKey
        self.vaultUID = vaultUID
        self.generation = generation
        self.createdDay = createdDay
        self.oldPositions = oldPositions
        self.oldHashes = oldHashes
    }

    /// A slot, 256 bytes, sealed anew: no two are alike, and none differs from filler to those without the key.
    package borrowing func seal(under slotKey: borrowing SecretBytes) throws -> [UInt8] {
        let plaintext = try encode()
        var cipher = try MessageCipher(key: slotKey)
        var slot = [UInt8](repeating: 0, count: Self.slotByteCount)
        try plaintext.withUnsafeBytes { plaintext in
            try slot.withUnsafeMutableBytes { (slot: UnsafeMutableRawBufferPointer) in
                try cipher.seal(plaintext, context: .slot, into: slot)
            }
        }
        return slot
    }

    /// Nil when the slot is not this key's (its commitment differs).
    ///
    /// - Throws: `SealingError.damaged` when it is, but does not verify or has an unknown shape.
    package static func open(_ slot: [UInt8], under slotKey: borrowing SecretBytes) throws -> SlotPayload? {
        guard slot.count == slotByteCount else { throw SealingError.damaged }
        var cipher = try MessageCipher(key: slotKey)
        do {
            let plaintext = try SecretBytes(count: plaintextByteCount) { plaintext in
                _ = try slot.withUnsafeBytes { try cipher.open($0, context: .slot, into: plaintext) }
            }
            return try plaintext.withUnsafeBytes { try SlotPayload(plaintext: $0) }
        } catch SealingError.wrongKey {
            return nil
        }
    }

    private init(plaintext: UnsafeRawBufferPointer) throws {
        guard plaintext[148...].allSatisfy({ $0 == 0 }) else { throw SealingError.damaged }
        self.init(
            type: plaintext[0], flags: plaintext[1], epoch: plaintext.bigEndian(UInt16.self, at: 2),
            vaultKey: try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: plaintext[4..<36])),
            vaultUID: Array(plaintext[36..<52]),
            generation: plaintext.bigEndian(UInt64.self, at: 52),
            createdDay: plaintext.bigEndian(UInt32.self, at: 60),
            oldPositions: (0..<SlotRoot.replicaCount).map { slotPosition(plaintext[64 + 3 * $0..<67 + 3 * $0]) },
            oldHashes: (0..<SlotRoot.replicaCount).map { Array(plaintext[100 + 4 * $0..<104 + 4 * $0]) })
    }

    private borrowing func encode() throws -> SecretBytes {
        guard
            vaultKey.count == 32, vaultUID.count == 16, oldPositions.count == SlotRoot.replicaCount,
            oldHashes.count == SlotRoot.replicaCount,
            oldHashes.allSatisfy({ $0.count == slotHashByteCount })
        else { throw SealingError.invalidParameters("slot payload") }
        let front = [type, flags] + epoch.bigEndianBytes
        let behindKey =
            vaultUID + generation.bigEndianBytes + createdDay.bigEndianBytes
            + oldPositions.flatMap(slotPositionBytes) + oldHashes.flatMap { $0 }
        return try vaultKey.withUnsafeBytes { vaultKey in
            try SecretBytes(count: Self.plaintextByteCount) { plaintext in
                plaintext.copyBytes(from: front)
                UnsafeMutableRawBufferPointer(rebasing: plaintext[4..<36]).copyMemory(from: vaultKey)
                UnsafeMutableRawBufferPointer(rebasing: plaintext[36...]).copyBytes(from: behindKey)
            }
        }
    }
}

package let slotHashByteCount = 4

/// A position in the table of slots as 3 bytes, big-endian.
package func slotPositionBytes(_ position: UInt32) -> [UInt8] { Array(position.bigEndianBytes.suffix(3)) }
package func slotPosition(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

/// The first 4 bytes of the SHA-256 of a 256-byte slot. Tells whether a slot is still the one it was.
package func slotHash(_ slot: [UInt8]) throws -> [UInt8] {
    guard slot.count == SlotPayload.slotByteCount else { throw SealingError.invalidParameters("slot size") }
    return Array(try SHA256Hasher.hash(slot).prefix(slotHashByteCount))
}
