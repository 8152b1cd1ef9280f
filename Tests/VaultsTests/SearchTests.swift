import Foundation
import HostSupport
import Media
import Search
import Store
import Testing

@testable import Records
@testable import Vault
@testable import Vaults

@Suite("Searching a vault")
struct SearchTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    private func session() async throws -> Session { try await host.start().make("violet tram seven") }

    /// 1 May 2024, 12:00.
    private static let may: Int64 = 1_714_564_800_000

    private func record(
        _ name: String, _ type: MediaType = .jpeg, at second: Int64 = 0, _ change: (inout MediaFacts) -> Void = { _ in }
    ) -> PhotoRecord {
        var record = PhotoRecord(
            serial: 0, object: .random(), byteCount: 1, runs: [], name: name, type: type.mimeType, receivedAt: 1)
        record.takenAt =
            CaptureTime(milliseconds: Self.may + second * 1000, isInstant: false, source: .exif).encoded
        var facts = MediaFacts()
        change(&facts)
        record.facts = FactsCoding.encode(facts)
        return record
    }

    private func found(_ text: String, _ session: Session) async throws -> [String] {
        try await session.search.find(text).page.photos.map(\.name).sorted()
    }

    @Test("what comes, changes and goes after a search is known to the next one")
    func following() async throws {
        let session = try await session()
        #expect(try await found("", session).isEmpty)
        let one = try await session.upload([1], name: "beach one.jpg")
        try await session.upload([2, 2], name: "beach two.jpg")
        #expect(try await found("beach", session) == ["beach one.jpg", "beach two.jpg"])
        _ = try await session.trash.move([one.id])
        #expect(try await found("beach", session) == ["beach two.jpg"])
        _ = try await session.trash.restore([one.id])
        _ = try await session.photos.setFavourite([one.id], true)
        #expect(try await found("beach favourites", session) == ["beach one.jpg"])
        let serial = try session.serial(one.id)
        #expect(try session.requireVault().library.lose(serial))
        #expect(try await found("damaged", session) == ["beach one.jpg"])
        try await host.stop()
    }

    @Test("a Live Photo is one, also where its video comes after a search")
    func livePhotos() async throws {
        let session = try await session()
        let vault = try session.requireVault()
        try await vault.addForTests(record("IMG_1.HEIC", .heic))
        #expect(try await found("live", session).isEmpty)
        try await vault.addForTests(record("IMG_1.MOV", .quickTime, at: 1) { $0.duration = .seconds(3) })
        try await vault.addForTests(record("film.mov", .quickTime, at: 9) { $0.duration = .seconds(90) })
        let live = try await session.search.find("live")
        #expect(live.page.photos.map(\.name) == ["IMG_1.MOV", "IMG_1.HEIC"])
        #expect(live.page.photos[1].details.liveVideo == live.page.photos[0].id)
        #expect(try await found("video", session) == ["film.mov"])
        #expect(try await found("longer than 1 min", session) == ["film.mov"])
        try await host.stop()
    }

    @Test("a picture knows the raw file of its shot in the timeline, in a search and in a list, but not across folders")
    func shots() async throws {
        let session = try await session()
        let vault = try session.requireVault()
        func add(_ name: String, _ type: MediaType, at second: Int64, folder: String?) async throws {
            var record = record(name, type, at: second)
            if let folder { record.join(SourceFolder(path: folder)) }
            try await vault.addForTests(record)
        }
        try await add("DSC_1.NEF", .nef, at: 0, folder: "card/a")
        try await add("DSC_1.JPG", .jpeg, at: 0, folder: "card/a")
        try await add("DSC_2.NEF", .nef, at: 9, folder: "card/a")
        try await add("DSC_2.JPG", .jpeg, at: 9, folder: "card/b")
        try await add("DSC_3.JPG", .jpeg, at: 20, folder: nil)
        try await add("DSC_3.NEF", .nef, at: 20, folder: nil)
        let month = try #require(CalendarMonth(text: "2024-05"))
        func raws(_ photos: [Photo]) -> [String: String] {
            let names = Dictionary(uniqueKeysWithValues: photos.map { ($0.id, $0.name) })
            let pairs = photos.compactMap { photo in photo.details.raw.map { (photo.name, names[$0] ?? "elsewhere") } }
            return Dictionary(uniqueKeysWithValues: pairs)
        }
        let expected = ["DSC_1.JPG": "DSC_1.NEF", "DSC_3.JPG": "DSC_3.NEF"]
        #expect(raws(try await session.photos.page(of: month, cursor: nil).photos) == expected)
        #expect(raws(try await session.photos.page(cursor: nil).photos) == expected)
        #expect(raws(try await session.search.find("dsc").page.photos) == expected)
        let named = ["DSC_1.JPG", "DSC_1.NEF", "DSC_2.NEF", "DSC_3.JPG", "DSC_3.NEF"]
        #expect(try await found("nef", session) == named)
        #expect(try await found("raw", session).count == 5)
        #expect(try await session.photos.count() == 6)
        // No page of a list ends between the two.
        #expect(try await session.photos.page(cursor: nil, limit: 1).photos.map(\.name) == ["DSC_3.NEF", "DSC_3.JPG"])
        let pair = try await session.search.find("dsc_1").page.photos
        _ = try await session.trash.move(pair.filter { $0.name.hasSuffix("NEF") }.map(\.id))
        #expect(raws(try await session.photos.page(of: month, cursor: nil).photos) == ["DSC_3.JPG": "DSC_3.NEF"])
        try await host.stop()
    }

    @Test("a file that belongs to a photo is not found, before and behind a search")
    func sidecars() async throws {
        let session = try await session()
        let vault = try session.requireVault()
        try await vault.addForTests(record("IMG_2.xmp", .other))
        #expect(try await found("IMG_2", session) == ["IMG_2.xmp"])
        try await vault.addForTests(record("IMG_2.JPG"))
        #expect(try await found("IMG_2", session) == ["IMG_2.JPG"])
        try await host.stop()
    }

    @Test("cameras are known by name, and a name that is shared by none is a word")
    func cameras() async throws {
        let session = try await session()
        try await session.requireVault().addForTests(
            record("a.jpg") { ($0.cameraMake, $0.cameraModel) = ("Apple", "iPhone 15 Pro") })
        let result = try await session.search.find("IPHONE 15 pro pixel")
        #expect(result.understood.map(\.part.text) == ["IPHONE 15 pro", "pixel"])
        #expect(result.understood.first?.part.meaning == .camera)
        #expect(try await found("apple iphone", session) == ["a.jpg"])
        try await host.stop()
    }

    @Test("pages of a search go on behind the last photo, whatever comes meanwhile")
    func pages() async throws {
        let session = try await session()
        let vault = try session.requireVault()
        for number in 0..<7 { try await vault.addForTests(record("beach \(number)", at: Int64(number))) }
        let first = try await session.search.find("beach", limit: 3)
        try await vault.addForTests(record("beach later", at: 100))
        let second = try await session.search.find("beach", cursor: first.page.cursor, limit: 3)
        let third = try await session.search.find("beach", cursor: second.page.cursor, limit: 3)
        let names = [first, second, third].flatMap { $0.page.photos.map(\.name) }
        #expect(names == (0..<7).reversed().map { "beach \($0)" })
        #expect((first.count, third.count) == (7, 8))
        #expect(third.page.cursor == nil)
        await #expect(throws: VaultError.invalidCursor) { _ = try await session.search.find("", cursor: "1.x") }
        try await host.stop()
    }

    @Test("a session that is over finds nothing")
    func lockedVault() async throws {
        let service = try await host.start()
        let session = try await service.make("violet tram seven")
        try await session.upload([1], name: "beach.jpg")
        try await service.lock(session)
        await #expect(throws: VaultError.sessionEnded) { _ = try await session.search.find("beach") }
        await #expect(throws: VaultError.sessionEnded) { _ = try await session.search.duplicates(cursor: nil) }
        await #expect(throws: VaultError.sessionEnded) { _ = try await session.storage() }
        try await host.stop()
    }

    @Test("groups of duplicates come page by page, and one that was deleted is no longer in any")
    func duplicates() async throws {
        let session = try await session()
        let vault = try session.requireVault()
        for number in 0..<3 {
            var random = UInt64(number + 3)
            let placeholder =
                [141, 60, 20, 20, 128, 128, 128]
                + (0..<18).map { _ -> UInt8 in
                    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(1 + (random >> 33) % 15) << 4 | UInt8(1 + (random >> 43) % 15)
                }
            for copy in 0..<2 {
                try await vault.addForTests(
                    record("\(number) \(copy).jpg", at: Int64(number * 100 + copy * 10)) {
                        $0.placeholder = placeholder
                        ($0.width, $0.height) = (4000 - copy, 3000)
                    })
            }
        }
        let page = try await session.search.duplicates(cursor: nil)
        #expect(page.groups.map { $0.photos.map(\.name) } == [2, 1, 0].map { ["\($0) 0.jpg", "\($0) 1.jpg"] })
        _ = try await session.trash.move([page.groups[1].photos[1].id])
        #expect(try await session.search.duplicates(cursor: nil).groups.count == 2)
        let one = page.groups[0].photos[0]
        #expect(try await session.search.similar(to: one.id).first?.photo.name == "2 1.jpg")
        try await host.stop()
    }
}
