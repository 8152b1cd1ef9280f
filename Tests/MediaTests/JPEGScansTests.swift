import Testing

@testable import Media

@Suite("Scans of a JPEG")
struct JPEGScansTests {
    private func frame(_ marker: UInt8) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, marker, 0, 14, 8, 0, 8, 0, 8, 2, 1, 0x11, 0, 2, 0x11, 0]
    }

    /// Of these components, from the first to the last coefficient, down to a bit; samples that look like marks follow.
    private func scan(_ components: [UInt8], _ first: UInt8, _ last: UInt8, _ bit: UInt8) -> [UInt8] {
        [0xFF, 0xDA, 0, UInt8(6 + components.count * 2), UInt8(components.count)]
            + components.flatMap { [$0, 0] } + [first, last, bit, 0x12, 0xFF, 0, 0x34, 0xFF, 0xD3, 0x56]
    }

    @Test("a progressive one is complete when every bit of every coefficient has come")
    func progressive() {
        let all = [scan([1, 2], 0, 0, 1), scan([1], 1, 63, 0), scan([2], 1, 63, 0), scan([1, 2], 0, 0, 0x10)]
        #expect(JPEGScans(reading: frame(0xC2) + all.joined() + [0xFF, 0xD9]).isComplete)
        #expect(JPEGScans(reading: frame(0xC2) + all.joined()).isComplete)
        for left in 0..<all.count {
            let some = all.enumerated().filter { $0.offset != left }.flatMap(\.element)
            #expect(!JPEGScans(reading: frame(0xC2) + some).isComplete || left == 0, "\(left)")
        }
    }

    @Test("of any other the decoder knows more")
    func others() {
        #expect(JPEGScans(reading: frame(0xC0) + scan([1, 2], 0, 63, 0)).isComplete)
        #expect(JPEGScans(reading: [0xFF, 0xD8] as [UInt8]).isComplete)
        #expect(JPEGScans(reading: [] as [UInt8]).isComplete)
    }
}
