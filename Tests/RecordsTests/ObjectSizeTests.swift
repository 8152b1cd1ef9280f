import Sealing
import Store
import Testing

@testable import Records

@Suite("The size of an object")
struct ObjectSizeTests {
    private static let block = UInt64(StagedObject.blockByteCount)
    private static let preamble = UInt64(PhotoRecord.preamble.count)

    private func expectPadded(_ byteCount: UInt64, lastRunAt start: UInt64, runByteCount: UInt64) {
        let padding = ObjectSize.padding(ofContent: byteCount, lastRunAt: start, runByteCount: runByteCount)
        let least = Padme.paddedByteCount(byteCount) - byteCount
        let size = start + ChunkLayout.sealedByteCount(plaintext: runByteCount + padding)
        #expect(size.isMultiple(of: Self.block), "\(byteCount) from \(start)")
        #expect(padding >= least, "\(byteCount) from \(start)")
        // One block more where the end would lie within a tag.
        let unrounded = start + ChunkLayout.sealedByteCount(plaintext: runByteCount + least)
        #expect(size < unrounded + Self.block + UInt64(ChunkLayout.tagByteCount), "\(byteCount) from \(start)")
    }

    @Test("fills whole blocks, and is no smaller than Padmé makes it")
    func blocks() {
        for byteCount in (0...70_000 as ClosedRange<UInt64>) {
            let padding = ObjectSize.padding(
                ofContent: byteCount, lastRunAt: Self.preamble, runByteCount: byteCount)
            let sealed = ChunkLayout.sealedByteCount(plaintext: byteCount + padding)
            let size = ObjectSize.ofOneRun(content: byteCount)
            guard size.isMultiple(of: Self.block), Self.preamble + sealed == size else {
                Issue.record("\(byteCount): \(padding) zeros, \(size)")
                return
            }
        }
        for byteCount in [0, 1, 40_000, 3_500_000, 8 << 20, 5_000_000_001] as [UInt64] {
            expectPadded(byteCount, lastRunAt: Self.preamble, runByteCount: byteCount)
        }
    }

    @Test("counts what earlier runs take", arguments: [1, 4095, 4096, 16_384, 1_000_000] as [UInt64])
    func runs(before: UInt64) {
        let start = Self.preamble + ChunkLayout.sealedByteCount(plaintext: before)
        for runByteCount in stride(from: UInt64(0), to: 40_000, by: 61) {
            expectPadded(before + runByteCount, lastRunAt: start, runByteCount: runByteCount)
        }
    }

    @Test("skips an end of a block that lies within a tag")
    func tags() {
        // 20,480 would be the next end, with a first chunk that is full, and nothing behind it.
        let padding = ObjectSize.padding(ofContent: 32_768, lastRunAt: 4024, runByteCount: 16_383)
        #expect(4024 + ChunkLayout.sealedByteCount(plaintext: 16_383 + padding) == 24_576)
    }

    @Test("never shrinks when content comes, and is the largest number where no file is that large")
    func bounds() {
        var last: UInt64 = 0
        for byteCount in stride(from: UInt64(0), to: 400_000, by: 7) {
            let size = ObjectSize.ofOneRun(content: byteCount)
            #expect(size >= last)
            last = size
        }
        #expect(ObjectSize.ofOneRun(content: .max) == .max)
        #expect(ObjectSize.ofOneRun(content: UInt64(Int.max)) == .max)
    }
}
