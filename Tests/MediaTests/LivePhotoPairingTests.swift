import Testing

@testable import Media

@Suite("Which photo and video are one Live Photo")
struct LivePhotoPairingTests {
    private typealias Pairing = LivePhotoPairing<Int>

    private func candidate(
        _ id: Int, _ name: String, _ type: MediaType, identifier: String? = nil, seconds: Int? = nil, at: Int64? = nil,
        isInstant: Bool = true
    ) -> Pairing.Candidate {
        var facts = MediaFacts()
        facts.contentIdentifier = identifier
        facts.duration = seconds.map { .seconds($0) }
        facts.takenAt = at.map { CaptureTime(milliseconds: $0, isInstant: isInstant, source: .exif) }
        return Pairing.Candidate(id: id, name: name, type: type, facts: facts)
    }

    @Test("the same content identifier makes a pair, whatever the names")
    func identifier() {
        let pairs = Pairing([
            candidate(1, "a.heic", .heic, identifier: "X"), candidate(2, "b.mov", .quickTime, identifier: "X"),
            candidate(3, "c.mov", .quickTime, identifier: "Y"),
        ]).pairs
        #expect(pairs == [Pairing.Pair(photo: 1, video: 2)])
    }

    @Test("of several copies with one identifier those whose names agree come together")
    func copies() {
        let pairs = Pairing([
            candidate(1, "IMG_1.HEIC", .heic, identifier: "X"), candidate(2, "IMG_2.HEIC", .heic, identifier: "X"),
            candidate(3, "IMG_2.MOV", .quickTime, identifier: "X"),
            candidate(4, "IMG_1.MOV", .quickTime, identifier: "X"),
        ]).pairs
        #expect(pairs == [Pairing.Pair(photo: 1, video: 4), Pairing.Pair(photo: 2, video: 3)])
    }

    @Test("else the same name, a few seconds of video and about the same time")
    func nameAndTime() {
        let photo = candidate(1, "trip/IMG_1234.JPG", .jpeg, at: 1_000_000)
        #expect(Pairing([photo, candidate(2, "IMG_1234.mov", .quickTime, seconds: 3, at: 1_002_000)]).pairs.count == 1)
        #expect(
            Pairing([photo, candidate(2, "IMG_1234_HEVC.MOV", .quickTime, seconds: 3, at: 1_002_000)]).pairs.count == 1)
        #expect(Pairing([photo, candidate(2, "IMG_1234.MOV", .quickTime, seconds: 40, at: 1_002_000)]).pairs.isEmpty)
        #expect(Pairing([photo, candidate(2, "IMG_1234.MOV", .quickTime, at: 1_002_000)]).pairs.isEmpty)
        #expect(Pairing([photo, candidate(2, "IMG_1234.MOV", .quickTime, seconds: 3, at: 2_000_000)]).pairs.isEmpty)
        #expect(Pairing([photo, candidate(2, "IMG_1235.MOV", .quickTime, seconds: 3, at: 1_002_000)]).pairs.isEmpty)
    }

    @Test("a Motion Photo has its video, and once it was changed another one")
    func changed() {
        let pairs = Pairing([
            candidate(1, "PXL_1.MP.jpg", .jpeg), candidate(2, "PXL_1.MP~2.jpg", .jpeg),
            candidate(3, "PXL_1.MP~2", .mp4, seconds: 2), candidate(4, "PXL_1.MP", .mp4, seconds: 2),
        ]).pairs
        #expect(pairs == [Pairing.Pair(photo: 1, video: 4), Pairing.Pair(photo: 2, video: 3)])
    }

    @Test("a clock whose zone is unknown may be off by hours, but not by days")
    func unknownZone() {
        let photo = candidate(1, "IMG_1.JPG", .jpeg, at: 100_000_000, isInstant: false)
        #expect(Pairing([photo, candidate(2, "IMG_1.MOV", .quickTime, seconds: 3, at: 71_200_000)]).pairs.count == 1)
        #expect(Pairing([photo, candidate(2, "IMG_1.MOV", .quickTime, seconds: 3, at: 1_000_000_000)]).pairs.isEmpty)
    }

    @Test("different content identifiers keep apart what has the same name")
    func differentIdentifiers() {
        let pairs = Pairing([
            candidate(1, "IMG_1.HEIC", .heic, identifier: "X"),
            candidate(2, "IMG_1.MOV", .quickTime, identifier: "Y", seconds: 3),
        ]).pairs
        #expect(pairs.isEmpty)
    }
}
