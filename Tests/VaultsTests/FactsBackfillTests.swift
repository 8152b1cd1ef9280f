import Bytes
import Foundation
import HostSupport
import Imaging
import ImagingProtocol
import Media
import Store
import Testing

@testable import Records
@testable import Vault

@Suite("Facts that another version of the program read")
struct FactsBackfillTests {
    private let text = "violet tram seven"
    private let earlier = MediaFacts.readingVersion &- 1
    /// 1 January 2001, which no file here says.
    private let wrong = CaptureTime(milliseconds: 978_307_200_000, isInstant: false, source: .exif).encoded

    @Test("are read again after the next opening, and photos stand where they belong")
    func readAgain() async throws {
        let host = try TestHost()
        let session = try await host.start().make(text)
        try await session.upload(png("2015:03:04 05:06:07"), name: "a.png")
        try await session.upload(png("2016:03:04 05:06:07"), name: "b.png")
        let vault = try session.requireVault()
        let old: [String: [UInt8]?] = ["a.png": FactsCoding.encode(MediaFacts(), version: earlier), "b.png": nil]
        try await rewrite(vault) { [wrong] in ($0.facts, $0.takenAt) = (old[$0.name] ?? nil, wrong) }
        for _ in 0..<2 {
            let next = try await host.restart().open(text)
            await (try next.requireVault()).factsBackfill.pause()
            #expect(try await next.photos.months().map(\.month.text) == ["2016-03", "2015-03"])
            let facts = try next.requireVault().library.allBlocking().map { $0.facts?.prefix(3) }
            #expect(facts.allSatisfy { $0 == FactsCoding.introduction[...] })
        }
        try await host.stop()
    }

    @Test("are left alone where it was this version")
    func notAgain() async throws {
        let host = try TestHost()
        let session = try await host.start().make(text)
        try await session.upload(png("2015:03:04 05:06:07"))
        try await rewrite(try session.requireVault()) { [wrong] in $0.takenAt = wrong }
        let next = try await host.restart().open(text)
        await (try next.requireVault()).factsBackfill.pause()
        #expect(try await next.photos.months().map(\.month.text) == ["2001-01"])
        try await host.stop()
    }

    @Test("what came of decoding stays, and what the client knew of a file that says nothing")
    func whatStays() async throws {
        let host = try TestHost()
        let session = try await host.start().make(text)
        try await session.upload(png("2015:03:04 05:06:07"), name: "a.png")
        try await session.upload(Array("words".utf8), name: "b.txt")
        let hint = CaptureHint(moment: Date(timeIntervalSince1970: 1_300_000_000), offsetMinutes: 60)
        var facts = MediaFacts()
        (facts.width, facts.height, facts.dominantColour, facts.placeholder) = (9, 7, 0x0A_B1_C2, [1, 2, 3])
        facts.duration = .seconds(3)
        let made = Examination(
            facts: facts, thumbnail: Rendition(bytes: [1], type: .jpeg, width: 1, height: 1))
        let old = FactsCoding.encode(facts, version: earlier)
        try await rewrite(try session.requireVault()) { [wrong] in
            let isPicture = $0.name == "a.png"
            $0.facts = isPicture ? old : nil
            $0.picture = isPicture ? PictureNote(made: made) : nil
            $0.takenAt = isPicture ? wrong : hint.time.encoded
        }
        let next = try await host.restart().open(text)
        await (try next.requireVault()).factsBackfill.pause()
        let photos = try await next.photos.page(cursor: nil).photos
        #expect(photos.map(\.details.facts.placeholder) == [nil, [1, 2, 3]])
        #expect(photos.last?.details.facts == facts)
        #expect(photos.map(\.details.takenAt?.milliseconds) == [1_300_000_000_000, 1_425_445_567_000])
        try await host.stop()
    }

    @Test("a date that lay in the future when the photo came is none later on, either")
    func futureDate() async throws {
        let host = try TestHost()
        let session = try await host.start().make(text)
        try await session.upload(png("2022:03:04 05:06:07"))
        let old = FactsCoding.encode(MediaFacts(), version: earlier)
        // 1 January 2021.
        try await rewrite(try session.requireVault()) {
            ($0.facts, $0.takenAt, $0.receivedAt) = (old, nil, 1_609_502_400_000)
        }
        let next = try await host.restart().open(text)
        await (try next.requireVault()).factsBackfill.pause()
        #expect(try await next.photos.months().map(\.month.text) == ["2021-01"])
        #expect(try next.requireVault().library.allBlocking().map { $0.takenAt } == [nil])
        try await host.stop()
    }

    @Test("videos get their zone from photos that are read again, too")
    func zones() async throws {
        let host = try TestHost()
        let session = try await host.start().make(text)
        try await session.upload(png("Wed, 04 Mar 2015 05:06:07 +1245"), name: "a.png")
        // 3 March 2015, 16:10 UTC.
        try await session.upload(movie(3_508_243_800), name: "b.mp4")
        let old = FactsCoding.encode(MediaFacts(), version: earlier)
        try await rewrite(try session.requireVault()) { [wrong] in ($0.facts, $0.takenAt) = (old, wrong) }
        let next = try await host.restart().open(text)
        await (try next.requireVault()).factsBackfill.pause()
        let taken = try await next.photos.page(cursor: nil).photos.map(\.details.takenAt)
        #expect(taken.map { $0?.offsetMinutes } == [765, 765])
        #expect(taken.first??.milliseconds == 1_425_399_000_000)
        try await host.stop()
    }

    @Test("a file that cannot be read keeps no other, and is left for the next opening")
    func unreadable() async throws {
        let host = try TestHost()
        let session = try await host.start().make(text)
        try await session.upload(png("2015:03:04 05:06:07"), name: "a.png")
        let whole = try host.objectFiles()
        try await session.upload(png("2016:03:04 05:06:07"), name: "b.png")
        try await rewrite(try session.requireVault()) { [wrong] in ($0.facts, $0.takenAt) = (nil, wrong) }
        for name in try host.objectFiles() where !whole.contains(name) {
            let file = host.file("objects/\(name)")
            var bytes = try Data(contentsOf: file)
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: file)
        }
        let next = try await host.restart().open(text)
        await (try next.requireVault()).factsBackfill.pause()
        #expect(try await next.photos.months().map(\.month.text) == ["2015-03", "2001-01"])
        try await host.stop()
    }

    @Test("whoever looks at a list hears of it only where something is another")
    func news() async throws {
        let host = try TestHost()
        let session = try await host.start().make(text)
        try await session.upload(png("2015:03:04 05:06:07"))
        let vault = try session.requireVault()
        // What the look into the new photo says is news as well, and would come between.
        await vault.pictures.pause()
        var facts = try MediaFacts(reading: png("2015:03:04 05:06:07"), type: .png)
        let old = FactsCoding.encode(facts, version: earlier)
        #expect(try await isNews(facts, after: old, in: vault) == false)
        facts.cameraModel = "Lumière"
        #expect(try await isNews(facts, after: old, in: vault))
        try await host.stop()
    }

    /// Whether finding them in the only photo, which had others, makes lists be asked for again.
    private func isNews(_ facts: MediaFacts, after old: [UInt8], in vault: OpenVault) async throws -> Bool {
        try await rewrite(vault) { $0.facts = old }
        let photo = try #require(try vault.library.allBlocking().first)
        let before = vault.library.listingNumber
        let found = [FactsBackfill.Finding(photo: photo, type: .png, facts: facts)]
        _ = try await vault.change { try $0.noteAgain(found) }
        #expect(try vault.library.allBlocking().first?.facts?.starts(with: FactsCoding.introduction) == true)
        return vault.library.listingNumber != before
    }

    private func rewrite(_ vault: OpenVault, _ change: @escaping @Sendable (inout PhotoRecord) -> Void) async throws {
        let serials = try vault.library.allBlocking().map(\.serial)
        _ = try await vault.update(serials, where: { _ in true }, change)
    }

    /// Of 8 × 6 pixels, none of which is there.
    private func png(_ time: String) -> [UInt8] {
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            UInt32(content.count).bigEndianBytes + Array(name.utf8) + content + [0, 0, 0, 0]
        }
        let size: [UInt8] = UInt32(8).bigEndianBytes + UInt32(6).bigEndianBytes
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", size + [8, 2, 0, 0, 0])
            + chunk("tEXt", Array("Creation Time\0\(time)".utf8)) + chunk("IEND", [])
    }

    /// - Parameter creation: seconds since 1904.
    private func movie(_ creation: UInt32) -> [UInt8] {
        func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
            UInt32(8 + payload.count).bigEndianBytes + Array(type.utf8) + payload
        }
        let times: [UInt8] = [0, creation, creation, 1000, 2000].flatMap(\.bigEndianBytes)
        return box("ftyp", Array("isom".utf8) + [0, 0, 0, 0])
            + box("moov", box("mvhd", times + [UInt8](repeating: 0, count: 80)))
    }
}
