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
