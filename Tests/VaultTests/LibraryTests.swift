import Store
import Testing

@testable import Records
@testable import Vault

@Suite("A library in memory")
struct LibraryTests {
    @Test("one that is dropped for one that is dropped itself leads to the last")
    func droppedTwice() async throws {
        let library = try Library()
        let photos = (1...3 as ClosedRange<UInt64>).map { serial in
            PhotoRecord(
                serial: serial, object: .random(), byteCount: 1, runs: [], name: "\(serial)", type: "", receivedAt: 0)
        }
        try library.fill(photos.map { LibraryEntry(rowNumber: $0.serial, record: $0) }, [])
        try library.apply([.replace(serial: 3, by: 2), .replace(serial: 2, by: 1)])
        #expect(try await library.photoOrKept(serial: 3)?.serial == 1)
        #expect(try await library.photoOrKept(serial: 2)?.serial == 1)
        #expect(try await library.photo(serial: 3) == nil)
        try library.apply([.remove(serial: 1)])
        #expect(try await library.photoOrKept(serial: 3) == nil)
    }
}
