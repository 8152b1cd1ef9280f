import Media

extension VaultChange {
    /// What the file says about itself, nil where it says nothing, and by that when it was taken. A zone that was guessed
    /// before, or that the client told, is guessed again where nobody knows better.
    static func note(_ facts: MediaFacts?, in record: inout PhotoRecord, _ library: Library) throws {
        if let facts { record.facts = FactsCoding.encode(facts) }
        var known = CaptureTime.Circumstances(
            fileTime: record.modifiedAt.map { Int64(bitPattern: $0) }, name: record.name,
            receivedAt: Int64(clamping: record.receivedAt), now: Int64(clamping: Milliseconds.now))
        let hint = record.takenAt.flatMap(CaptureHint.init(encoded:))
        known.hostOffset = { hint?.offsetMinutes(at: $0) ?? HostZone.offsetMinutes(at: $0) }
        if let facts, let taken = facts.takenAt, taken.isInstant, taken.offsetMinutes == nil {
            let around = try library.takenAroundBlocking(taken.milliseconds)
            known.neighbourOffset = { [serial = record.serial] _ in
                ZoneNeighbours(facts, taken.milliseconds).offset(by: around.filter { $0.serial != serial })
            }
        }
        let isPossible = hint?.time.milliseconds ?? .max <= known.now + 86_400_000
        let chosen = CaptureTime.chosen(read: facts?.takenAt, known) ?? (isPossible ? hint?.time : nil)
        record.takenAt = chosen?.encoded
    }

    /// A photo that knows its zone tells it to the videos of its hour that had to guess.
    mutating func tellZone(of record: PhotoRecord) throws {
        guard let taken = record.takenAt.flatMap(CaptureTime.init(encoded:)), taken.isInstant,
            let offset = taken.offsetMinutes, !taken.isZoneGuessed
        else { return }
        let facts = record.facts.map(FactsCoding.decode) ?? MediaFacts()
        for video in try vault.library.videosAroundBlocking(taken.milliseconds) where video.serial != record.serial {
            guard var guess = video.takenAt.flatMap(CaptureTime.init(encoded:)), guess.isZoneGuessed,
                guess.source == .container, guess.offsetMinutes != offset,
                ZoneNeighbours(video.facts.map(FactsCoding.decode) ?? MediaFacts(), guess.milliseconds)
                    .isNeighbour(facts, taken),
                let present = try current(video.serial, in: vault.library), present.object == video.object
            else { continue }
            guess.offsetMinutes = offset
            try update(at: present.rowNumber) { $0.takenAt = guess.encoded }
        }
    }
}

/// Who may tell a video that knows only UTC which zone its camera was in: photos of its hour, of its camera where it
/// names one.
struct ZoneNeighbours {
    private static let hourMilliseconds: Int64 = 3_600_000
    private let facts: MediaFacts
    private let instant: Int64

    init(_ facts: MediaFacts, _ instant: Int64) {
        self.facts = facts
        self.instant = instant
    }

    func isNeighbour(_ other: MediaFacts, _ taken: CaptureTime) -> Bool {
        guard taken.isInstant, taken.offsetMinutes != nil, !taken.isZoneGuessed,
            abs(taken.milliseconds - instant) <= Self.hourMilliseconds
        else { return false }
        guard let model = facts.cameraModel else { return true }
        return other.cameraModel?.lowercased() == model.lowercased()
    }

    /// Nil where nobody knows, or they do not agree.
    func offset(by photos: [LibraryPhoto]) -> Int? {
        let offsets = photos.compactMap { photo -> Int? in
            guard let taken = photo.takenAt.flatMap(CaptureTime.init(encoded:)),
                isNeighbour(photo.facts.map(FactsCoding.decode) ?? MediaFacts(), taken)
            else { return nil }
            return taken.offsetMinutes
        }
        return Set(offsets).count == 1 ? offsets[0] : nil
    }
}
