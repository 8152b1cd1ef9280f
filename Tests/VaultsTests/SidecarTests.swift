import HostSupport
import Media
import Store
import TestSupport
import Testing

@testable import Records
@testable import Vault
@testable import Vaults

@Suite("Sidecars in the library")
struct SidecarTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    private func add(_ name: String, to session: Session) async throws {
        let type: MediaType =
            switch name.split(separator: ".").last {
            case "jpg": .jpeg
            case "mov": .quickTime
            default: .other
            }
        let record = PhotoRecord(
            serial: 0, object: .random(), byteCount: 1, runs: [], name: name, type: type.mimeType,
            receivedAt: 1_714_521_600_000)
        try await session.requireVault().addForTests(record)
    }

    private func session(_ names: [String]) async throws -> Session {
        let session = try await host.start().make("violet tram seven")
        for name in names { try await add(name, to: session) }
        return session
    }

    private func tiles(_ session: Session) async throws -> [String] {
        var names: [String] = []
        for (month, count) in try await session.photos.months() {
            let photos = try await session.photos.page(of: month, cursor: nil).photos
            #expect(photos.count == count)
            names += photos.map(\.name)
        }
        return names.sorted()
    }

    @Test("stand in no timeline while their photo is there, whichever came first")
    func timeline() async throws {
        let session = try await session(["a.jpg.json", "a.jpg", "b.jpg", "b.aae", "c.json"])
        #expect(try await tiles(session) == ["a.jpg", "b.jpg", "c.json"])
        #expect(try await session.photos.count() == 3)
        try await add("c.jpg", to: session)
        #expect(try await tiles(session) == ["a.jpg", "b.jpg", "c.jpg"])
        try await host.stop()
    }

    @Test("what is counted of a library is read once after each change of it")
    func counting() async throws {
        let session = try await session(["a.jpg", "b.jpg"])
        let (library, reads) = (try session.requireVault().library, Counter())
        let memory = ListingMemory<Int>()
        func count() async throws -> Int {
            try await library.whileUnchanged(memory) { _ in
                reads.add()
                return 7
            }
        }
        for _ in 0..<5 { #expect(try await count() == 7) }
        #expect(reads.count == 1)
        for names in 3...5 {
            try await add("\(names).jpg", to: session)
            for _ in 0..<3 { #expect(try await session.photos.count() == names) }
            _ = try await count()
        }
        #expect(reads.count == 4)
        try await host.stop()
    }

    @Test("are in the list, and name their photo, which names them")
    func list() async throws {
        let session = try await session(["a.jpg", "a.jpg.json", "a.xmp", "lone.xmp"])
        let listed = try await session.photos.page(cursor: nil).photos
        let photo = try #require(listed.first { $0.name == "a.jpg" })
        #expect(Set(listed.filter { $0.sidecarOf == photo.id }.map(\.name)) == ["a.jpg.json", "a.xmp"])
        #expect(listed.first { $0.name == "lone.xmp" }?.sidecarOf == nil)
        #expect(try await session.photos.photo(photo.id).details.sidecars.map(\.name) == ["a.jpg.json", "a.xmp"])
        try await host.stop()
    }

    @Test("are deleted, put back, archived and deleted for good with their photo")
    func deletion() async throws {
        let session = try await session(["a.jpg", "a.jpg.json", "b.jpg", "b.aae"])
        let photo = try #require(try await session.photos.page(cursor: nil).photos.first { $0.name == "a.jpg" })
        let archive = try session.archives.archive(try await session.archives.make([photo.id]))
        #expect(try await session.archives.photos(of: archive).photos.map(\.name) == ["a.jpg", "a.jpg.json"])
        #expect(try await session.trash.move([photo.id]) == 2)
        #expect(try await tiles(session) == ["b.jpg"])
        #expect(try await session.trash.all().first { $0.name == "a.jpg.json" }?.sidecarOf == photo.id)
        #expect(try await session.trash.restore([photo.id]) == 2)
        #expect(try await tiles(session) == ["a.jpg", "b.jpg"])
        _ = try await session.trash.move([photo.id])
        #expect(try await session.trash.delete([photo.id]).count == 2)
        #expect(try await session.photos.page(cursor: nil).photos.map(\.name) == ["b.aae", "b.jpg"])
        try await host.stop()
    }

    @Test("stand for themselves while their photo lies among the deleted without them")
    func alone() async throws {
        let session = try await session(["a.jpg"])
        let photo = try #require(try await session.photos.page(cursor: nil).photos.first)
        _ = try await session.trash.move([photo.id])
        try await add("a.aae", to: session)
        #expect(try await tiles(session) == ["a.aae"])
        #expect(try await session.trash.restore([photo.id]) == 1)
        #expect(try await tiles(session) == ["a.jpg"])
        _ = try await session.trash.move([photo.id])
        _ = try await session.trash.empty()
        #expect(try await session.photos.page(cursor: nil).photos.isEmpty)
        try await host.stop()
    }

    @Test("are found again when the vault is opened again")
    func opening() async throws {
        let session = try await session(["a.jpg.json", "b.aae", "b.jpg", "a.jpg", "c.xmp"])
        #expect(try await tiles(session) == ["a.jpg", "b.jpg", "c.xmp"])
        let again = try await host.restart().open("violet tram seven")
        #expect(try await tiles(again) == ["a.jpg", "b.jpg", "c.xmp"])
        try await host.stop()
    }
}
