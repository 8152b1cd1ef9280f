import Media
import Store
import TestSupport
import Testing

@testable import Records

@Suite("What a row says of a photo")
struct FactsCodingTests {
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
}
