import Testing

@testable import Sealing

@Suite("Key slots")
struct SlotPayloadTests {
    private let secret: SharedSecret

    init() throws {
        secret = SharedSecret(try SecretBytes(copying: .pattern(32, seed: 9)))
    }

    private func payload() throws -> SlotPayload {
        SlotPayload(
            type: 1, flags: 2, epoch: 0x0304, vaultKey: try SecretBytes(copying: .pattern(32)),
            vaultUID: .pattern(16, seed: 5), generation: 0x0506_0708_090A_0B0C, createdDay: 0x0D0E_0F10,
            oldPositions: Array(1...11) + [0x3FFFE], oldHashes: (0..<12).map { .pattern(4, seed: $0) })
    }

    @Test("a slot of 256 bytes gives back every field")
    func roundTrip() throws {
        let slot = try payload().seal(under: secret.bytes)
        #expect(slot.count == 256)
        guard let opened = try SlotPayload.open(slot, under: secret.bytes) else {
            Issue.record("the slot did not open")
            return
        }
        let original = try payload()
        #expect(opened.type == 1 && opened.flags == 2 && opened.epoch == 0x0304)
        #expect(opened.vaultUID == original.vaultUID)
        #expect(opened.generation == original.generation && opened.createdDay == original.createdDay)
        #expect(opened.oldPositions == original.oldPositions && opened.oldHashes == original.oldHashes)
        #expect(opened.vaultKey.exposed() == .pattern(32))
    }

    @Test("the plaintext has the documented bytes")
    func layout() throws {
        let slot = try payload().seal(under: secret.bytes)
        var cipher = try MessageCipher(key: secret.bytes)
        let plaintext = try open(slot, context: .slot, with: &cipher).result.get()
        let front: [UInt8] = [1, 2, 3, 4] + .pattern(32) + .pattern(16, seed: 5)
        let numbers: [UInt8] = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
        let positions: [UInt8] = (1...11).flatMap { [0, 0, UInt8($0)] } + [3, 0xFF, 0xFE]
        let hashes = (0..<12).flatMap { [UInt8].pattern(4, seed: $0) }
        #expect(plaintext == front + numbers + positions + hashes + [UInt8](repeating: 0, count: 36))
    }

    @Test("sealing twice gives slots that share nothing")
    func unlinkable() throws {
        let (first, second) = (try payload().seal(under: secret.bytes), try payload().seal(under: secret.bytes))
        #expect(zip(first, second).count(where: ==) < 20)
    }

    @Test("another key sees filler; a changed commitment is filler too; anything else changed is damage")
    func commitment() throws {
        let slot = try payload().seal(under: secret.bytes)
        #expect(try SlotPayload.open(slot, under: SecretBytes(random: 32)) == nil)
        #expect(try SlotPayload.open(randomBytes(256), under: secret.bytes) == nil)
        for byte in slot.indices {
            var changed = slot
            changed[byte] ^= 4
            if byte < ChunkLayout.headerByteCount {
                #expect(try SlotPayload.open(changed, under: secret.bytes) == nil, "byte \(byte)")
            } else {
                #expect(throws: SealingError.damaged, "byte \(byte)") {
                    _ = try SlotPayload.open(changed, under: secret.bytes)
                }
            }
        }
        #expect(throws: SealingError.damaged) { _ = try SlotPayload.open(Array(slot.dropLast()), under: secret.bytes) }
    }

    @Test("a payload of an unknown shape is refused, on the way in and out")
    func shape() throws {
        var cipher = try MessageCipher(key: secret.bytes)
        let unknown = try seal([UInt8](repeating: 1, count: 184), context: .slot, with: &cipher)
        #expect(throws: SealingError.damaged) { _ = try SlotPayload.open(unknown, under: secret.bytes) }
        var payload = try payload()
        payload.oldHashes = []
        var error: SealingError?
        do { _ = try payload.seal(under: secret.bytes) } catch let thrown as SealingError { error = thrown }
        #expect(error == .invalidParameters("slot payload"))
    }

    @Test("a slot's hash is the front of its SHA-256")
    func hash() throws {
        let slot = [UInt8](repeating: 0, count: 256)
        #expect(try slotHash(slot) == [UInt8](hex: "5341e6b2"))
        #expect(throws: SealingError.invalidParameters("slot size")) { _ = try slotHash([0]) }
    }
}
