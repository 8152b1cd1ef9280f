package import Media
package import Records
import Store

extension VaultChange {
    /// What the file says about itself, nil where it says nothing, and by that when it was taken. A zone that was guessed
    /// before, or that the client told, is guessed again where nobody knows better.
    /// - Parameters:
    ///   - now: until when a time can be true, in milliseconds
    ///   - isOfSeries: that a name which is a number is no year; nil where its neighbours are to be asked
    package static func note(
        _ facts: MediaFacts?, in record: inout PhotoRecord, _ library: Library,
        now: Int64 = Int64(clamping: Milliseconds.now), isOfSeries: Bool? = nil
    ) throws {
        var told = record.told.map(SidecarFacts.init(encoded:))
        if var facts {
            if let own = facts.place, told?.corrects(own) == true {
                told?.ownPlace = own
                facts.place = told?.place
            }
            // Where the file names no place, one beside it may.
            facts.place = facts.place ?? told?.place
            record.facts = FactsCoding.encode(facts)
        }
        var known = CaptureTime.Circumstances(
            fileTime: record.modifiedAt.map { Int64(bitPattern: $0) }, name: record.name,
            receivedAt: Int64(clamping: record.receivedAt), now: now)
        known.sidecar = told?.takenAt
        known.zone = zone(of: record, library)
        known.isOfSeries = try isOfSeries ?? NumberedNames.isOfSeries(record, library)
        let hint = record.takenAt.flatMap(CaptureHint.init(encoded:))
        known.hostOffset = { hint?.offsetMinutes(at: $0) ?? HostZone.offsetMinutes(at: $0) }
        if let facts, let taken = facts.takenAt, taken.isInstant, taken.offsetMinutes == nil {
            let around = try library.takenAroundBlocking(taken.milliseconds)
            known.neighbourOffset = { [serial = record.serial] _ in
                ZoneNeighbours(facts, taken.milliseconds).offset(by: around.filter { $0.serial != serial })
            }
        }
        // One of a container was read by somebody, and stands only as long as that is read.
        let hinted = hint?.time.source == .fileTime ? hint?.time : nil
        let isPossible = hinted?.milliseconds ?? .max <= known.now + 86_400_000
        var chosen = CaptureTime.chosen(read: facts?.takenAt, known) ?? (isPossible ? hinted : nil)
        if let own = chosen, own.source.isOfFile, told?.corrects(own) == true,
            let corrected = CaptureTime.chosen(read: nil, known), corrected.source == .sidecar
        {
            told?.ownTakenAt = own
            chosen = corrected
        } else if chosen?.source.isOfFile == true {
            told?.ownTakenAt = nil
        }
        if let told, told != record.told.map(SidecarFacts.init(encoded:)) { record.told = told.encoded }
        record.takenAt = chosen?.encoded
    }

    /// What files say about themselves to this version. What came of decoding them stays.
    /// - Returns: serials of those whose rows cannot be read.
    mutating func noteAgain(_ found: [FactsBackfill.Finding]) throws -> [UInt64] {
        try note(found, of: \.photo) { change, finding, present in
            // Who looked into it meanwhile knows more.
            guard present.facts?.starts(with: FactsCoding.introduction) != true else { return }
            let library = change.vault.library
            let noted = try change.updateQuietly(at: present.rowNumber) { record in
                let before = record
                record.type = finding.type.mimeType
                try Self.note(
                    finding.facts.keeping(whatWasSeenOf: before, as: finding.type), in: &record, library,
                    now: Self.latestTime(receivedAt: before.receivedAt))
                return record.takenAt != before.takenAt || record.type != before.type
                    || record.facts.map(FactsCoding.decode) != before.facts.map(FactsCoding.decode) ?? MediaFacts()
            }
            if let noted { try change.tellZone(of: noted) }
        }
    }

    /// A date that lay in the future when the photo came does not become true by waiting, unless the host had no clock then.
    static func latestTime(receivedAt: UInt64) -> Int64 {
        let (received, now) = (Int64(clamping: receivedAt), Int64(clamping: Milliseconds.now))
        return received < firstBelieved ? now : min(received, now)
    }

    /// The beginning of 2020.
    private static let firstBelieved: Int64 = 1_577_836_800_000

    /// A name that is a number was taken for a year, as long as none beside it said otherwise.
    package mutating func tellSeries(of record: PhotoRecord) throws {
        let library = vault.library
        for serial in try NumberedNames.mistaken(beside: record, library) {
            guard let present = try current(serial, in: library) else { continue }
            try update(at: present.rowNumber) { record in
                try Self.note(
                    nil, in: &record, library, now: Self.latestTime(receivedAt: record.receivedAt), isOfSeries: true)
            }
        }
    }

    /// The zone of a date that says none follows the place.
    private static func mendZone(of record: inout PhotoRecord, _ library: Library) throws {
        // Before anybody has looked into the file, its date is a hint.
        guard let facts = record.facts.map(FactsCoding.decode),
            var time = record.takenAt.flatMap(CaptureTime.init(encoded:))?.unplaced
        else { return }
        if let zone = zone(of: record, library) { time = time.placed(in: zone) }
        if time.isInstant, time.offsetMinutes == nil {
            let around = try library.takenAroundBlocking(time.milliseconds).filter { $0.serial != record.serial }
            time.offsetMinutes =
                ZoneNeighbours(facts, time.milliseconds).offset(by: around)
                ?? HostZone.offsetMinutes(at: time.milliseconds)
            time.isZoneGuessed = true
        }
        record.takenAt = time.encoded
    }

    private static func zone(of record: PhotoRecord, _ library: Library) -> PlaceZone? {
        record.shownPlace.flatMap { library.gazetteer?.zone(at: $0) }
    }

    /// A photo that knows its zone tells it to the videos of its hour that had to guess.
    package mutating func tellZone(of record: PhotoRecord) throws {
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

extension MediaFacts {
    /// With the colours that decoding gave, with the size of a picture that was decoded, for the decoder knows it best, and
    /// with what decoding alone could tell of a video or a raw file.
    fileprivate func keeping(whatWasSeenOf record: PhotoRecord, as type: MediaType) -> MediaFacts {
        guard let before = record.facts.map(FactsCoding.decode) else { return self }
        var facts = self
        facts.dominantColour = before.dominantColour
        facts.placeholder = before.placeholder
        if case .made = record.picture?.state, type.isPicture, !type.isRaw, before.width != nil {
            (facts.width, facts.height) = (before.width, before.height)
        } else if facts.width == nil || facts.height == nil {
            (facts.width, facts.height) = (before.width, before.height)
        }
        facts.duration = facts.duration ?? before.duration
        return facts
    }
}

/// Names that are numbers, of photos that came one behind the other.
enum NumberedNames {
    private static let hourMilliseconds: UInt64 = 3_600_000

    static func isOfSeries(_ record: PhotoRecord, _ library: Library) throws -> Bool {
        // Of one that is only coming nobody knows yet what comes beside it.
        guard record.serial != 0, let number = CaptureTime.number(ofName: record.name), CaptureTime.isYear(number)
        else {
            return false
        }
        return try neighbours(of: record, library).contains { CaptureTime.isOfSeries(number, beside: $0.number) }
    }

    /// Serials of those whose names were taken for years, and are none by the name of this one: it may be one of them.
    static func mistaken(beside record: PhotoRecord, _ library: Library) throws -> [UInt64] {
        guard let number = CaptureTime.number(ofName: record.name) else { return [] }
        let neighbours = try neighbours(of: record, library)
        var mistaken = neighbours.filter { neighbour in
            isDatedByNumber(neighbour.photo.takenAt) && CaptureTime.isOfSeries(neighbour.number, beside: number)
        }.map(\.photo.serial)
        let isMistaken =
            isDatedByNumber(record.takenAt)
            && neighbours.contains { CaptureTime.isOfSeries(number, beside: $0.number) }
        if isMistaken { mistaken.append(record.serial) }
        return mistaken
    }

    private static func isDatedByNumber(_ encoded: [UInt8]?) -> Bool {
        let time = encoded.flatMap(CaptureTime.init(encoded:))
        return time?.source == .name && time?.precision == .year
    }

    private static func neighbours(
        of record: PhotoRecord, _ library: Library
    ) throws -> [(number: Int, photo: LibraryPhoto)] {
        try library.arrivedAroundBlocking(record.serial).compactMap { photo in
            let gap = max(photo.receivedAt, record.receivedAt) - min(photo.receivedAt, record.receivedAt)
            guard photo.serial != record.serial, gap <= hourMilliseconds else { return nil }
            return CaptureTime.number(ofName: photo.name).map { ($0, photo) }
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

/// What somebody wants to be said of a photo; nil leaves it as it is.
package struct PhotoCorrection: Sendable {
    /// What a person says of a value that may also be taken back.
    package enum Word<Value: Sendable>: Sendable {
        case none
        case said(Value)
    }

    package var caption: Word<String>?
    /// `none` goes back to what the file says.
    package var takenAt: Word<CaptureTime>?
    /// Degrees clockwise.
    package var rotation: Int?
    /// `none` shows the whole picture again.
    package var edit: Word<PhotoEdit>?
    /// `none` goes back to what the file says.
    package var place: Word<SaidPlace>?

    package init() {}
}

extension VaultChange {
    /// - Returns: how many it changed.
    package mutating func setFavourite(_ serials: ArraySlice<UInt64>, _ isFavourite: Bool) throws -> Int {
        try mark(serials, \.isFavourite, isFavourite)
    }

    /// - Returns: how many it changed.
    package mutating func setApart(_ serials: ArraySlice<UInt64>, _ isApart: Bool) throws -> Int {
        try mark(serials, \.isApart, isApart)
    }

    /// - Returns: how many it changed.
    package mutating func setArchived(_ serials: ArraySlice<UInt64>, _ isArchived: Bool) throws -> Int {
        try mark(serials, \.isArchived, isArchived)
    }

    private mutating func mark(
        _ serials: ArraySlice<UInt64>, _ mark: WritableKeyPath<Keeping, Bool>, _ isSet: Bool
    ) throws -> Int {
        var count = 0
        for serial in serials {
            guard let photo = try currentOrKept(serial), photo.keeping[keyPath: mark] != isSet else { continue }
            try update(at: photo.rowNumber) { $0.keeping[keyPath: mark] = isSet }
            count += 1
        }
        return count
    }

    /// - Throws: `noSuchPhoto`.
    package mutating func correct(_ serial: UInt64, _ correction: PhotoCorrection) throws {
        guard let photo = try currentOrKept(serial) else { throw VaultError.noSuchPhoto }
        if let place = correction.place { _ = try setPlace([serial], place) }
        try update(at: photo.rowNumber) { record in
            switch correction.caption {
            case .said(let caption): record.keeping.caption = caption
            case .some(.none): record.keeping.caption = nil
            case nil: break
            }
            switch correction.takenAt {
            case .said(let time): record.keeping.takenAt = time.encoded
            case .some(.none): record.keeping.takenAt = nil
            case nil: break
            }
            if let rotation = correction.rotation { record.keeping.rotation = rotation }
            switch correction.edit {
            case .said(let edit): record.keeping.edit = edit.isNone ? nil : edit
            case .some(.none): record.keeping.edit = nil
            case nil: break
            }
        }
    }

    /// What a person says of where photos were taken. A date of a camera that knew no zone gets that of the place.
    /// - Returns: how many it changed.
    package mutating func setPlace(
        _ serials: ArraySlice<UInt64>, _ said: PhotoCorrection.Word<SaidPlace>
    ) throws -> Int {
        let place: SaidPlace? = if case .said(let place) = said { place } else { nil }
        var count = 0
        for serial in serials {
            guard let photo = try currentOrKept(serial), photo.keeping.place != place else { continue }
            let library = vault.library
            var changed: PhotoRecord?
            try update(at: photo.rowNumber) { record in
                record.keeping.place = place
                try Self.mendZone(of: &record, library)
                changed = record
            }
            if let changed { try tellZone(of: changed) }
            count += 1
        }
        return count
    }

    /// Moves the clocks of cameras that were wrong: each photo from where it stands in the timeline.
    /// - Throws: `takenAtInvalid` when one would be moved to where none can have been taken.
    package mutating func shift(_ serials: [UInt64], minutes: Int) throws -> Int {
        var count = 0
        var moved: Set<UInt64> = []
        for serial in serials {
            guard let photo = try currentOrKept(serial), moved.insert(photo.serial).inserted else { continue }
            var time =
                photo.takenAt.flatMap(CaptureTime.init(encoded:))
                ?? CaptureTime(
                    milliseconds: photo.shownAt, isInstant: false, source: .person)
            let (difference, isLarge) = Int64(minutes).multipliedReportingOverflow(by: 60_000)
            let (sum, isBeyond) = time.milliseconds.addingReportingOverflow(difference)
            time.milliseconds = sum
            time.source = .person
            guard !isLarge, !isBeyond, time.canBeSaid(now: Int64(bitPattern: Milliseconds.now)) else {
                throw VaultError.takenAtInvalid
            }
            try update(at: photo.rowNumber) { [time] in $0.say(takenAt: time) }
            count += 1
        }
        return count
    }
}
