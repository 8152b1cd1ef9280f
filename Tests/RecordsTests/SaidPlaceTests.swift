import Media
import Records
import Store
import Testing

@Suite("Where a person says that a photo was taken")
struct SaidPlaceTests {
    private func record() -> PhotoRecord {
        PhotoRecord(
            serial: 1, object: ObjectID(high: 1, low: 2), byteCount: 3, runs: [], name: "a.jpg", type: "image/jpeg",
            receivedAt: 4)
    }

    @Test("stands in the record beside the file's own, and counts before it")
    func encoding() throws {
        var record = record()
        var facts = MediaFacts()
        facts.place = Place(latitude: 41.89, longitude: 12.49, altitude: 21)
        record.facts = FactsCoding.encode(facts)
        #expect(record.shownPlace?.latitude == 41.89)
        let said = SaidPlace(try #require(Place(latitude: -33.8568, longitude: 151.2153)), town: 2_147_714)
        record.keeping.place = said
        let decoded = try PhotoRecord.decode(record.encoded)
        #expect(decoded == record)
        #expect(decoded.shownPlace == said.place)
        #expect(said.encoded.count == 12)
        #expect(SaidPlace(encoded: said.encoded) == said)
    }

    @Test("is left out where it cannot be read", arguments: [0, 8, 11, 13])
    func unreadable(byteCount: Int) { #expect(SaidPlace(encoded: [UInt8](repeating: 1, count: byteCount)) == nil) }

    @Test("stays with a photo of the same content")
    func joining() throws {
        var (one, other) = (record(), record())
        other.keeping.place = SaidPlace(try #require(Place(latitude: 1, longitude: 2)))
        one.joinKeeping(of: other)
        #expect(one.keeping.place == other.keeping.place)
    }

    @Test("a zone that is the place's stays one in the record")
    func zone() throws {
        var time = CaptureTime(milliseconds: 5, offsetMinutes: 540, isInstant: true, source: .exif)
        (time.isZoneOfPlace, time.isInstantOfPlace) = (true, true)
        #expect(CaptureTime(encoded: time.encoded) == time)
    }
}
