import HostSupport
import Media
import Store
import Testing

@testable import Records
@testable import Vaults

@Suite("Live Photos in the timeline")
struct TimelinePairTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    /// 1 May 2024, 00:00.
    private static let may: Int64 = 1_714_521_600_000

    /// Photos a second apart, the last one at `newest`; those of one name are the halves of one Live Photo.
    private func session(_ pairs: [String?], _ videos: Set<Int>, newest: Int64) async throws -> Session {
        let session = try await host.start().make("violet tram seven")
        for number in pairs.indices.reversed() {
            var record = PhotoRecord(
                serial: 0, object: .random(), byteCount: 1, runs: [], name: "\(number)",
                type: (videos.contains(number) ? MediaType.quickTime : .heic).mimeType, receivedAt: 1)
            let time = CaptureTime(milliseconds: newest - Int64(number) * 1000, isInstant: false, source: .exif)
            record.takenAt = time.encoded
            var facts = MediaFacts()
            facts.contentIdentifier = pairs[number]
            record.facts = FactsCoding.encode(facts)
            try await session.requireVault().addForTests(record)
        }
        return session
    }

    private func month(_ text: String) throws -> CalendarMonth { try #require(CalendarMonth(text: text)) }

    @Test(
        "know their videos also where a part ends between the two, and no part gets longer", arguments: [true, false])
    func cutPair(photoFirst: Bool) async throws {
        let session = try await session(
            [nil, "pair", "pair", nil], [photoFirst ? 2 : 1], newest: Self.may + 86_400_000)
        let may = try month("2024-05")
        let first = try await session.photos.page(of: may, cursor: nil, limit: 2)
        let parts = [
            try await session.photos.page(of: may, cursor: nil, skipping: 2, limit: 2),
            try await session.photos.page(of: may, cursor: first.cursor, limit: 2),
        ]
        #expect(first.photos.map(\.name) == ["0", "1"])
        for part in parts {
            #expect(part.photos.map(\.name) == ["2", "3"])
            #expect(part.cursor == nil)
            let (before, after) = (first.photos[1], part.photos[0])
            #expect(before.details.liveVideo == (photoFirst ? after.id : nil))
            #expect(after.details.liveVideo == (photoFirst ? nil : before.id))
        }
        try await host.stop()
    }

    @Test("know their videos also where a month ends between the two")
    func betweenMonths() async throws {
        let session = try await session(["pair", "pair"], [0], newest: Self.may)
        let video = try #require(try await session.photos.page(of: try month("2024-05"), cursor: nil).photos.first)
        let april = try await session.photos.page(of: try month("2024-04"), cursor: nil).photos
        #expect(april.map(\.name) == ["1"])
        #expect(april.first?.details.liveVideo == video.id)
        try await host.stop()
    }

    @Test("know nothing of a video that lies in the trash")
    func deletedVideo() async throws {
        let session = try await session(["pair", "pair"], [0], newest: Self.may + 10_000)
        let may = try month("2024-05")
        let video = try #require(try await session.photos.page(of: may, cursor: nil).photos.first)
        _ = try await session.trash.move([video.id])
        #expect(try await session.photos.page(of: may, cursor: nil).photos.map(\.details.liveVideo) == [nil])
        try await host.stop()
    }
}
