import GRDB
import Store
import TestSupport
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

    @Test("a numbered name is looked up by the files that there are, whatever the number")
    func numberedNames() async throws {
        let library = try Library()
        let names = ["a.jpg", "a.jpg", "a (3).jpg", "a.jpg", "a (x).jpg", "b.jpg", "a (2)", "a.jpg", "a (05).jpg"]
        let photos = names.enumerated().map { place, name in
            PhotoRecord(
                serial: UInt64(place + 1), object: .random(), byteCount: 1, runs: [], name: name, type: "",
                receivedAt: 1)
        }
        try library.fill(photos.map { LibraryEntry(rowNumber: $0.serial, record: $0) }, [])
        let listed = try await library.files(in: .arrivals(since: 0), behind: nil, limit: 100).files
        #expect(Set(listed.map(\.name)).isSuperset(of: ["a.jpg", "a (2).jpg", "a (3).jpg", "a (4).jpg", "a (5).jpg"]))
        for file in listed {
            let found = try await library.file(file.name, in: .arrivals(since: 0))
            #expect(found?.serial == file.photo.serial, "\(file.name)")
        }
        let statements = Counter()
        try library.readBlocking { $0.trace { _ in statements.add() } }
        #expect(try await library.file("a (99999).jpg", in: .arrivals(since: 0)) == nil)
        #expect(statements.count < 12)
    }
}
