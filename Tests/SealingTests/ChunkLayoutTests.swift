import Testing

@testable import Sealing

@Suite("Sizes")
struct ChunkLayoutTests {
    @Test(
        "a message is header, full chunks and one short chunk",
        arguments: [
            (0, 72), (1, 73), (184, 256), (440, 512), (16_383, 16_455), (16_384, 16_472), (16_385, 16_473),
            (4 << 30, 4_299_161_672),
        ] as [(UInt64, UInt64)])
    func sealedByteCount(plaintext: UInt64, sealed: UInt64) {
        #expect(ChunkLayout.sealedByteCount(plaintext: plaintext) == sealed)
        #expect(ChunkLayout.plaintextByteCount(sealed: Int(sealed)) == Int(plaintext))
    }

    @Test("lengths that no message has are known", arguments: [0, 55, 56, 71, 16_456, 16_471])
    func impossible(sealed: Int) {
        #expect(ChunkLayout.plaintextByteCount(sealed: sealed) == nil)
    }

    @Test("chunks are counted with the last one")
    func chunks() {
        #expect(ChunkLayout.chunkCount(plaintext: 0) == 1)
        #expect(ChunkLayout.chunkCount(plaintext: 16_383) == 1)
        #expect(ChunkLayout.chunkCount(plaintext: 16_384) == 2)
    }

    @Test("sizes that do not fit are the largest, not a crash")
    func overflow() {
        #expect(ChunkLayout.sealedByteCount(plaintext: .max) == .max)
        #expect(Padme.paddedByteCount(.max) == .max)
    }

    @Test(
        "Padmé rounds up to the sizes of its definition",
        arguments: [
            (0, 0), (1, 1), (2, 2), (3, 3), (8, 8), (9, 10), (100, 104), (1_000, 1_024), (1_025, 1_088),
            (1_000_000, 1_015_808), (3_000_000_000, 3_019_898_880),
        ] as [(UInt64, UInt64)])
    func padme(count: UInt64, padded: UInt64) {
        #expect(Padme.paddedByteCount(count) == padded)
    }

    @Test("Padmé never shrinks, never adds more than 12 %, and padding again changes nothing")
    func padmeBounds() {
        for count in stride(from: UInt64(1), to: 3_000_000, by: 97) {
            let padded = Padme.paddedByteCount(count)
            #expect(padded >= count && (padded - count) * 100 <= count * 12)
            #expect(Padme.paddedByteCount(padded) == padded)
        }
    }
}
