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

    private func shot(
        _ id: Int, _ name: String, _ type: MediaType, at milliseconds: Int64? = 1000, folder: Int64? = nil,
        origin: [UInt8]? = nil, identifier: String? = nil
    ) -> Pairing.Candidate {
        let taken = milliseconds.map { CaptureTime(milliseconds: $0, isInstant: false, source: .exif) }
        var facts = MediaFacts()
        (facts.takenAt, facts.contentIdentifier) = (taken, identifier)
        let key = ShotKey(name: name, type: type, takenAt: taken, folder: folder, origin: origin)
        return Pairing.Candidate(id: id, name: name, type: type, facts: facts, shot: key)
    }

    @Test("a raw file goes with the picture of the same name, second, folder and way, and with nothing else")
    func shots() {
        let picture = shot(1, "DSC_1.JPG", .jpeg, folder: 7)
        func raws(_ others: Pairing.Candidate...) -> [Int: Int] { Pairing([picture] + others).raws }
        #expect(raws(shot(2, "dsc_1.nef", .nef, at: 1999, folder: 7)) == [1: 2])
        #expect(raws(shot(2, "DSC_1.NEF", .nef, at: 2000, folder: 7)).isEmpty)
        #expect(raws(shot(2, "DSC_1.NEF", .nef, at: nil, folder: 7)).isEmpty)
        #expect(raws(shot(2, "DSC_2.NEF", .nef, folder: 7)).isEmpty)
        #expect(raws(shot(2, "DSC_1.NEF", .nef, folder: 8)).isEmpty)
        #expect(raws(shot(2, "DSC_1.NEF", .nef, folder: 7, origin: [1])).isEmpty)
        #expect(raws(shot(2, "DSC_1.PNG", .png, folder: 7)).isEmpty)
        // Of two of one name each has its own.
        let twice = raws(
            shot(2, "DSC_1.NEF", .nef, folder: 7), shot(3, "DSC_1.HEIC", .heic, folder: 7),
            shot(4, "DSC_1.DNG", .dng, folder: 7), shot(5, "DSC_1.CR2", .cr2, folder: 7))
        #expect(twice == [1: 2, 3: 4])
    }

    @Test("of a shot the picture has the video of a Live Photo")
    func shotInMotion() {
        let pairing = Pairing([
            shot(1, "IMG_1.DNG", .dng, identifier: "X"), shot(2, "IMG_1.JPG", .jpeg, identifier: "X"),
            candidate(3, "IMG_1.MOV", .quickTime, identifier: "X"),
        ])
        #expect(pairing.raws == [2: 1] && pairing.pairs == [Pairing.Pair(photo: 2, video: 3)])
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
