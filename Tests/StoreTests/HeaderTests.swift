import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("The host header")
struct HeaderTests {
    @Test("is healed from any one good copy", arguments: 0..<3)
    func heal(good: Int) throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        let whole = try Data(contentsOf: sample.file("store.header"))
        #expect(whole.count == 3 * 4096)
        var damaged = Data((0..<whole.count).map { _ in UInt8.random(in: 0...255) })
        let range = good * 4096..<(good + 1) * 4096
        damaged.replaceSubrange(range, with: whole[range])
        try damaged.write(to: sample.file("store.header"))
        #expect(try sample.open().healedHeaderCopies == 2)
        #expect(try sample.store.header == SampleStore.header())
        try sample.close()
        #expect(try Data(contentsOf: sample.file("store.header")) == whole)
    }

    @Test("is replaced under the next number, and the highest number wins")
    func replace() throws {
        let sample = try SampleStore()
        try sample.open()
        let old = try Data(contentsOf: sample.file("store.header"))
        var header = try sample.store.header
        header.kdfRecords.append([UInt8](repeating: 4, count: 32))
        header.sequence = 77
        try sample.store.headerFile.replace(header)
        header.sequence = 2
        #expect(try sample.store.header == header)
        try sample.close()

        // As a crash after the first copy leaves it.
        var content = try Data(contentsOf: sample.file("store.header"))
        content.replaceSubrange(4096..., with: old[4096...])
        try content.write(to: sample.file("store.header"))
        #expect(try sample.open().healedHeaderCopies == 2)
        #expect(try sample.store.header == header)
        try sample.close()
    }

    @Test("is refused when no copy is good, and nothing is changed")
    func noGoodCopy() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        try Data(count: 3 * 4096).write(to: sample.file("store.header"))
        let before = try TemporaryFolder.tree(sample.path, contents: true)
        #expect(throws: StoreError.self) { try sample.open() }
        #expect(try TemporaryFolder.tree(sample.path, contents: true) == before)
    }

    @Test("counts a copy as damaged that the disk cannot read")
    func unreadable() throws {
        #expect(try HeaderFile.copies(in: .unreadable()) == [.damaged, .damaged, .damaged])
        let header = SampleStore.header()
        #expect(try HeaderFile.choose([.damaged, .valid(header), .damaged]) == header)
    }

    @Test("notices every flipped bit of a copy")
    func flippedBits() throws {
        let copy = try HeaderCopy.encode(SampleStore.header())
        #expect(try HeaderCopy.decode(copy) == .valid(SampleStore.header()))
        for bit in Array(0..<120 * 8) + Array(4060 * 8..<4096 * 8) {
            var flipped = copy
            flipped[bit / 8] ^= 1 << (bit % 8)
            if case .valid = try HeaderCopy.decode(flipped) { Issue.record("bit \(bit) went unnoticed") }
        }
    }

    @Test("is refused with fields of a wrong size")
    func malformed() throws {
        var header = SampleStore.header()
        header.kdfRecords = []
        #expect(throws: StoreError.self) { try HeaderCopy.encode(header) }
        header.kdfRecords = [[1]]
        #expect(throws: StoreError.self) { try HeaderCopy.encode(header) }
    }
}
