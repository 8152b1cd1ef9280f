import Foundation
import HostSupport
import Imaging
import ImagingProtocol
import Media
import Store
import Testing

@testable import Content
@testable import Records

@Suite("What a photo says about itself")
struct FactsTests {
    @Test("the timeline goes by when photos were taken, on the clock of the place")
    func timeline() async throws {
        let maker = SampleMaker()
        let host = try TestHost { $0.pictures = PictureMaking(maker: maker) }
        let session = try await host.start().make("violet tram seven")
        // 1 May 2024, 01:30 in Munich, is still April in UTC.
        maker.facts.takenAt = CaptureTime(
            milliseconds: 1_714_519_800_000, offsetMinutes: 120, isInstant: true, source: .exifWithOffset)
        let may = try await session.upload(photoBytes(1)).id
        await (try session.requireVault()).pictures.pause()
        maker.facts.takenAt = nil
        let named = try await session.upload(photoBytes(2), name: "IMG_20200131_120000.jpg").id
        await (try session.requireVault()).pictures.pause()
        let months = try await session.photos.months()
        #expect(months.map(\.month.text) == ["2024-05", "2020-01"])
        #expect(months.map(\.count) == [1, 1])
        let month = try #require(CalendarMonth(text: "2024-05"))
        #expect(try await session.photos.page(of: month, cursor: nil).photos.map(\.id) == [may])
        _ = try await session.trash.move([may])
        #expect(try await session.photos.months().map(\.month.text) == ["2020-01"])
        #expect(try await session.photos.photo(named).details.takenAt?.source == .name)
        try await host.stop()
    }

    @Test("a month comes page by page, also past a photo that was deleted where a page ended")
    func pages() async throws {
        let maker = SampleMaker()
        // The same for all: then the newest upload is the newest.
        maker.facts.takenAt = CaptureTime(
            milliseconds: 1_714_519_800_000, offsetMinutes: 120, isInstant: true, source: .exifWithOffset)
        let host = try TestHost { $0.pictures = PictureMaking(maker: maker) }
        let session = try await host.start().make("violet tram seven")
        var ids: [String] = []
        for number in 0..<5 { ids.insert(try await session.upload(photoBytes(UInt8(number))).id, at: 0) }
        await (try session.requireVault()).pictures.pause()
        let month = try #require(CalendarMonth(text: "2024-05"))
        let first = try await session.photos.page(of: month, cursor: nil, limit: 2)
        #expect(first.photos.map(\.id) == Array(ids[0..<2]))
        _ = try await session.trash.move([ids[1]])
        let second = try await session.photos.page(of: month, cursor: first.cursor, limit: 2)
        #expect(second.photos.map(\.id) == Array(ids[2..<4]))
        let third = try await session.photos.page(of: month, cursor: second.cursor, limit: 2)
        #expect(third.photos.map(\.id) == [ids[4]])
        #expect(third.cursor == nil)
        let middle = try await session.photos.page(of: month, cursor: nil, skipping: 2, limit: 2)
        #expect(middle.photos.map(\.id) == Array(ids[3..<5]))
        for cursor in ["", "5", "x.\(ids[0])", "5.x"] {
            await #expect(throws: VaultError.self, "\(cursor)") {
                _ = try await session.photos.page(of: month, cursor: cursor)
            }
        }
        try await host.stop()
    }
}
