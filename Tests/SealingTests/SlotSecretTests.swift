import Testing

@testable import Sealing

@Suite("Slots of a random secret")
struct SlotSecretTests {
    private let salt = [UInt8](0..<16)

    private func key(
        _ secret: [UInt8], _ kind: SlotSecretKind, salt: [UInt8]? = nil, pepper: [UInt8]? = nil
    ) throws -> [UInt8] {
        let root = try SlotRoot.derive(
            secret: try SecretBytes(copying: secret), of: kind, hostSalt: salt ?? self.salt,
            pepper: try pepper.map { SharedSecret(try SecretBytes(copying: $0)) })
        return try root.slotKey().withUnsafeBytes { Array($0) }
    }

    @Test("depend on the secret, its kind, the host and its pepper")
    func dependence() throws {
        let secret = [UInt8](repeating: 7, count: 32)
        let keys = [
            try key(secret, .passkey), try key(secret, .recovery), try key(secret.reversed() + [1], .passkey),
            try key(secret, .passkey, salt: [UInt8](1...16)), try key(secret, .passkey, pepper: [1, 2, 3]),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(try key(secret, .passkey) == keys[0])
    }

    @Test("stand at twelve places, and follow HKDF as RFC 5869 has it")
    func form() throws {
        let secret = [UInt8](repeating: 9, count: 16)
        let root = try SlotRoot.derive(
            secret: try SecretBytes(copying: secret), of: .recovery, hostSalt: salt, pepper: nil)
        #expect(Set(try root.slotPositions()).count == 12)
        let label = Array("safelight/v1/recovery".utf8) + salt
        let prk = try SecretBytes(copying: label).withUnsafeBytes {
            try HKDFSHA512.extract(salt: $0, keyMaterial: try SecretBytes(copying: secret))
        }
        let expected = try HKDFSHA512.expand(prk, info: Array("safelight/v1/kek".utf8), count: 32)
        #expect(try root.slotKey().equals(expected))
    }

    @Test("are not made from a short one")
    func short() {
        #expect(throws: SealingError.self) { try key([UInt8](repeating: 1, count: 15), .recovery) }
    }
}
