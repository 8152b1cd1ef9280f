import Testing

@testable import Sealing

@Suite("From a password to its slots")
struct SlotRootTests {
    private static let hostSalt = [UInt8].pattern(16)
    private static let weak = KDFRecord(iterations: 1, memoryKiB: 8)

    private func root(
        _ password: String = "correct horse", salt: [UInt8] = hostSalt, record: KDFRecord = weak,
        pepper: SharedSecret? = nil
    ) throws -> SlotRoot {
        try SlotRoot.derive(
            password: SecretBytes(copying: Array(password.utf8)), hostSalt: salt, record: record, pepper: pepper)
    }

    @Test("a root is HKDF-Extract over Argon2id, salted with the SHA-512 of the record")
    func definition() throws {
        let password = try SecretBytes(copying: Array("correct horse".utf8))
        let stretched = try Argon2id.derive(password: password, salt: Self.hostSalt, iterations: 1, memoryKiB: 8)
        let prk = try SecretBytes(copying: sha512(Self.weak.encoded)).withUnsafeBytes {
            try HKDFSHA512.extract(salt: $0, keyMaterial: stretched)
        }
        let info = Array("safelight/v1/kek".utf8)
        #expect(try root().slotKey().equals(HKDFSHA512.expand(prk, info: info, count: 32)))
        let first = try HKDFSHA512.expand(prk, info: Array("safelight/v1/pos\0\0\0\0".utf8), count: 4).exposed()
        #expect(try root().slotPositions().first == first.reduce(0) { $0 << 8 | UInt32($1) } % 262_144)
    }

    @Test("positions are 12, distinct and always the same")
    func positions() throws {
        for number in 0..<200 {
            let root = SlotRoot(prk: try SecretBytes(copying: .pattern(64, seed: number)))
            let positions = try root.slotPositions()
            #expect(positions.count == 12 && Set(positions).count == 12 && positions.allSatisfy { $0 < 262_144 })
            #expect(try root.slotPositions() == positions)
        }
    }

    @Test("password, host salt, every parameter and the pepper lead to other slots and another key")
    func everythingCounts() throws {
        let pepper = SharedSecret(try SecretBytes(copying: .pattern(32)))
        let check = try KDFRecord.check(ofPepper: pepper.bytes)
        var keys: Set<[UInt8]> = []
        keys.insert(try root().slotKey().exposed())
        keys.insert(try root("correct horsf").slotKey().exposed())
        keys.insert(try root(salt: .pattern(16, seed: 1)).slotKey().exposed())
        keys.insert(try root(record: KDFRecord(iterations: 2, memoryKiB: 8)).slotKey().exposed())
        // Argon2 rounds 8 … 11 KiB to the same memory: only the record tells them apart.
        keys.insert(try root(record: KDFRecord(iterations: 1, memoryKiB: 9)).slotKey().exposed())
        let peppered = KDFRecord(iterations: 1, memoryKiB: 8, pepperCheck: check)
        keys.insert(try root(record: peppered, pepper: pepper).slotKey().exposed())
        #expect(keys.count == 6)
    }

    @Test("a pepper that is required must be there and be the right one; one that is not is left out")
    func pepper() throws {
        let pepper = SharedSecret(try SecretBytes(copying: .pattern(32)))
        let other = SharedSecret(try SecretBytes(copying: .pattern(32, seed: 1)))
        let record = KDFRecord(
            iterations: 1, memoryKiB: 8, pepperCheck: try KDFRecord.check(ofPepper: pepper.bytes))
        #expect(throws: SealingError.invalidParameters("a pepper is required")) { _ = try root(record: record) }
        #expect(throws: SealingError.invalidParameters("another pepper is required")) {
            _ = try root(record: record, pepper: other)
        }
        #expect(try root(pepper: pepper).slotKey().equals(root().slotKey()))
    }

    @Test("a record out of bounds is refused before anything is computed")
    func bounds() throws {
        #expect(throws: SealingError.self) { _ = try root(record: KDFRecord(iterations: 1, memoryKiB: .max)) }
        #expect(throws: SealingError.self) { _ = try root(record: KDFRecord(iterations: .max, memoryKiB: 8)) }
    }
}
