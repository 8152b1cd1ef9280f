import Foundation
import Imaging
import ImagingProtocol
import Media
import Store
import Testing

@testable import Content
@testable import Records

@Suite("What a photo says about itself")
struct FactsTests {
    private var facts: MediaFacts {
        var facts = MediaFacts()
        facts.width = 4032
        facts.height = 3024
        facts.orientation = 6
        facts.cameraMake = "Apple"
        facts.cameraModel = "iPhone 15 Pro"
        facts.lens = "iPhone 15 Pro back triple camera 6.86mm f/1.78"
        facts.place = Place(latitude: 48.137154, longitude: -11.576124, altitude: 519.25)
        facts.duration = .milliseconds(2_917)
        facts.contentIdentifier = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        facts.dominantColour = 0x0A_B1_C2
        facts.placeholder = (0..<25).map { UInt8($0) }
        return facts
    }

    @Test("stands in the row and comes back as it was")
    func roundTrip() {
        #expect(FactsCoding.decode(FactsCoding.encode(facts)) == facts)
        #expect(FactsCoding.decode(FactsCoding.encode(MediaFacts())) == MediaFacts())
        #expect(FactsCoding.encode(MediaFacts()) == FactsCoding.introduction)
    }

    @Test("fits, with all that a photo of a phone says, into the one row that it has")
    func oneRow() throws {
        var record = PhotoRecord(
            serial: 1, object: .random(), byteCount: 3_000_000,
            runs: [.init(plaintextByteCount: 3_000_320, salt: [UInt8](repeating: 1, count: 24))],
            name: "IMG_20240503_140211.HEIC", type: "image/heic", receivedAt: 1)
        record.modifiedAt = 2
        record.sha256 = [UInt8](repeating: 2, count: 32)
        record.firstPartDigest = record.sha256
        record.verifiedAt = 3
        record.picture = PictureNote(.damaged)
        record.takenAt =
            CaptureTime(milliseconds: 1, offsetMinutes: 120, isInstant: true, source: .exifWithOffset)
            .encoded
        var common = facts
        common.contentIdentifier = nil
        common.lens = nil
        record.facts = FactsCoding.encode(common)
        #expect(record.encoded.count <= RowPiece.payloadLimit)
        #expect(try PhotoRecord.decode(record.encoded) == record)
    }

    @Test("texts of strangers are cut between letters, and rubbish reads as nothing")
    func bounds() {
        var facts = MediaFacts()
        facts.cameraModel = String(repeating: "光", count: 100)
        let decoded = FactsCoding.decode(FactsCoding.encode(facts))
        #expect(decoded.cameraModel == String(repeating: "光", count: 21))
        for seed in 0..<200 { _ = FactsCoding.decode(sampleBytes(60, seed: UInt64(seed))) }
        #expect(CaptureTime(encoded: [1, 2, 3]) == nil)
    }

    @Test("a time keeps its zone, and what is not known of it", arguments: [nil, 0, 330, -720])
    func times(offset: Int?) {
        for isInstant in [true, false] {
            let time = CaptureTime(
                milliseconds: -5, offsetMinutes: offset, isInstant: isInstant, source: .container)
            #expect(CaptureTime(encoded: time.encoded) == time)
        }
    }

    @Test("a month begins where the one before it ends, over leap years and before 1970")
    func months() {
        #expect(CalendarMonth(milliseconds: 0).text == "1970-01")
        #expect(CalendarMonth(milliseconds: -1).text == "1969-12")
        #expect(CalendarMonth(text: "2024-02")?.milliseconds == 1_706_745_600_000)
        for text in ["0000-01", "1826-02", "1900-02", "1969-12", "2000-02", "2024-02", "2024-12", "9999-12"] {
            let month = CalendarMonth(text: text)
            #expect(month?.text == text)
            guard let month else { continue }
            #expect(CalendarMonth(milliseconds: month.milliseconds) == month)
            #expect(CalendarMonth(milliseconds: month.next.milliseconds - 1) == month)
        }
        for text in ["2024-13", "2024-0", "24-01", "2024-00", "+024-01", "2024-1a", ""] {
            #expect(CalendarMonth(text: text) == nil, "\(text)")
        }
    }

    @Test("the timeline goes by when photos were taken, on the clock of the place")
    func timeline() async throws {
        let maker = SampleMaker()
        let sample = try SampleService { $0.pictures = PictureMaking(maker: maker) }
        let session = try await sample.start().make("violet tram seven")
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
        try await sample.stop()
    }

    @Test("a month comes page by page, also past a photo that was deleted where a page ended")
    func pages() async throws {
        let maker = SampleMaker()
        // The same for all: then the newest upload is the newest.
        maker.facts.takenAt = CaptureTime(
            milliseconds: 1_714_519_800_000, offsetMinutes: 120, isInstant: true, source: .exifWithOffset)
        let sample = try SampleService { $0.pictures = PictureMaking(maker: maker) }
        let session = try await sample.start().make("violet tram seven")
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
        try await sample.stop()
    }
}
