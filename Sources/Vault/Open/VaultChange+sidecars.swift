import Bytes
import Import
package import Media
package import Records
import Sealing
import Store

/// What files beside a photo say of it, which was brought from elsewhere with them.
package struct SidecarWords: Sendable {
    package var facts: SidecarFacts
    package var caption: String?
    package var isFavourite: Bool
    /// It was kept out of the timeline where it was brought from.
    package var isArchived: Bool
    package var albums: [AlbumName]
    /// What of it a vault has no room for.
    package var unkept: ToldSidecars.Unkept = []
    /// It lay in the trash where it was brought from.
    package var isTrashed = false
    package var crop: XMPCrop?

    package init(
        facts: SidecarFacts, caption: String? = nil, isFavourite: Bool = false, isArchived: Bool = false,
        albums: [AlbumName] = []
    ) {
        self.facts = facts
        self.caption = caption
        self.isFavourite = isFavourite
        self.isArchived = isArchived
        self.albums = albums
    }
}

extension SidecarNote {
    package var corrections: SidecarFacts.Corrections {
        var corrections: SidecarFacts.Corrections = []
        if correctsTime { corrections.insert(.date) }
        if correctsPlace { corrections.insert(.place) }
        return corrections
    }
}

extension SidecarWords {
    /// From what anybody may have written: texts are cut to what a vault takes, and albums without a name left out.
    package init(
        takenAt: CaptureTime?, place: Place?, corrections: SidecarFacts.Corrections = [], caption: String?,
        isFavourite: Bool, isArchived: Bool, albums: [String], crop: XMPCrop?
    ) {
        self.init(
            facts: SidecarFacts(takenAt: takenAt, place: place, corrections: corrections),
            caption: caption.map(Self.cut),
            isFavourite: isFavourite, isArchived: isArchived,
            albums: albums.compactMap { try? AlbumName(AlbumName.cut($0)) })
        self.crop = crop
        if let caption, caption.unicodeScalars.count > Keeping.longestCaption { unkept.insert(.captionEnd) }
        if albums.contains(where: { AlbumName.cut($0) != $0 }) { unkept.insert(.nameEnd) }
    }

    /// Of what somebody gave only what whoever gave it can know counts.
    /// - Parameter mayBeTrashed: it came by this very sending, and is its sender's.
    init(_ note: SidecarNote, isGiven: Bool, isGuest: Bool, mayBeTrashed: Bool) throws {
        var taken = note.takenAt
        // Only the owner's own word counts more than what the photo says.
        if isGiven, taken?.source == .person { taken?.source = .sidecar }
        self.init(
            takenAt: taken, place: note.place, corrections: isGiven ? [] : note.corrections, caption: note.caption,
            isFavourite: note.isFavourite && !isGiven, isArchived: note.isArchived && !isGiven,
            albums: isGiven || isGuest ? [] : note.albums, crop: isGiven ? nil : note.crop)
        isTrashed = note.isTrashed && mayBeTrashed && !isGiven
        facts.isUncertain = note.isUncertain
        facts.said = try digest()
    }

    /// It adds nothing to what is known of any photo.
    var isSilent: Bool {
        facts.takenAt == nil && facts.place == nil && caption == nil && !isFavourite && !isArchived
            && albums.isEmpty && !isTrashed && crop == nil
    }

    private func digest() throws -> [UInt8] {
        let texts = [caption ?? ""] + albums.map(\.text)
        var bytes = facts.encoded + [(isFavourite ? 1 : 0) | (isArchived ? 2 : 0), isTrashed ? 1 : 0]
        for text in texts { bytes += Array(text.utf8) + [0] }
        if let crop {
            for number in [crop.left, crop.top, crop.right, crop.bottom, crop.angle] {
                bytes += number.bitPattern.bigEndianBytes
            }
        }
        return Array(try bytes.withUnsafeBytes { try SHA256Hasher.hash($0) }.prefix(8))
    }

    private static func cut(_ caption: String) -> String {
        let scalars = caption.unicodeScalars.filter { $0 != "\0" }.prefix(Keeping.longestCaption)
        return String(String.UnicodeScalarView(scalars))
    }
}

extension VaultChange {
    /// Adds what is said to what is known; said again it changes nothing. What a person wrote here stays, and so does
    /// the date that the file itself tells, unless somebody has put it right there.
    /// - Throws: `noSuchPhoto`.
    @discardableResult
    package mutating func tell(_ words: SidecarWords, of serial: UInt64) throws -> ToldSidecars {
        guard let photo = try currentOrKept(serial), photo.deletedAt == nil || photo.isWaiting else {
            throw VaultError.noSuchPhoto
        }
        let before = try PhotoRecord.decode(try chain(from: photo.rowNumber).flatMap(\.piece.payload))
        var after = before
        if words.isTrashed { after.deletedAt = Milliseconds.now }
        var facts = words.facts
        if let said = facts.takenAt, said.source == .person {
            // What somebody put right in another vault counts more than what the photo says, here as there.
            after.keeping.takenAt = before.keeping.takenAt ?? said.encoded
            facts.takenAt = nil
        }
        if !facts.isEmpty { try Self.take(facts, into: &after, vault.library) }
        after.keeping.isFavourite = before.keeping.isFavourite || words.isFavourite
        after.keeping.isArchived = before.keeping.isArchived || words.isArchived
        try Self.take(words.caption, into: &after)
        if let crop = words.crop, before.keeping.edit == nil {
            after.keeping.edit = PhotoEdit(crop, of: after.facts.map(FactsCoding.decode) ?? MediaFacts())
        }
        var told = ToldSidecars()
        for name in words.albums where try !join(&after.keeping, name) { told.albums.append(name.text) }
        told.facts = after.told.map(SidecarFacts.init(encoded:))
        told.unkept = Self.unkept(of: words, in: after, told.facts)
        guard after != before else { return told }
        let written = after
        try update(at: photo.rowNumber) { $0 = written }
        try tellZone(of: written)
        return told
    }

    private static func unkept(
        of words: SidecarWords, in record: PhotoRecord, _ facts: SidecarFacts?
    ) -> ToldSidecars.Unkept {
        var unkept = words.unkept
        if let caption = words.caption,
            record.keeping.caption.map({ SidecarNote.growing($0, by: caption) == $0 }) != true
        {
            unkept.insert(.caption)
        }
        var kept = facts ?? SidecarFacts(takenAt: nil, place: nil)
        if words.facts.takenAt?.source == .person {
            kept.takenAt = record.keeping.takenAt.flatMap(CaptureTime.init(encoded:))
        }
        // What only may be said of this photo is no loss where another date is surely its own.
        guard kept.isUncertain || !words.facts.isUncertain else { return unkept }
        let (date, place) = kept.keeps(words.facts)
        // One that cannot be true counts for nothing, and stands in no list.
        let shown = record.takenAt.flatMap(CaptureTime.init(encoded:))
        if words.facts.takenAt != nil, record.keeping.takenAt == nil, shown == nil || shown?.source == .fileTime {
            unkept.insert(.date)
        }
        if !date { unkept.insert(.date) }
        if !place { unkept.insert(.place) }
        return unkept
    }

    /// What a person wrote stays. What was told before, and nobody has changed, gets what is told beside it, as far as there is
    /// room for all of it.
    private static func take(_ told: String?, into record: inout PhotoRecord) throws {
        guard let told else { return }
        var facts = record.told.map(SidecarFacts.init(encoded:)) ?? SidecarFacts(takenAt: nil, place: nil)
        if let present = record.keeping.caption {
            let grown = SidecarNote.growing(present, by: told)
            guard try facts.caption == digest(present), grown.unicodeScalars.count <= Keeping.longestCaption else {
                return
            }
            record.keeping.caption = grown
        } else {
            record.keeping.caption = told
        }
        facts.caption = try digest(record.keeping.caption ?? "")
        record.told = facts.encoded
    }

    private static func digest(_ caption: String) throws -> [UInt8] {
        Array(try Array(caption.utf8).withUnsafeBytes { try SHA256Hasher.hash($0) }.prefix(8))
    }

    /// A file of the same content lies there. Nothing happens where the photo is gone by then.
    package mutating func note(_ folder: SourceFolder, of serial: UInt64) throws {
        guard let photo = try currentOrKept(serial), photo.deletedAt == nil else { return }
        var record = try PhotoRecord.decode(try chain(from: photo.rowNumber).flatMap(\.piece.payload))
        let before = record.folders
        record.join(folder)
        guard record.folders != before else { return }
        let folders = record.folders
        try update(at: photo.rowNumber) { $0.folders = folders }
    }

    /// Past the most albums that a photo can be in there is no room.
    /// - Returns: whether it is in that album.
    private mutating func join(_ keeping: inout Keeping, _ name: AlbumName) throws -> Bool {
        let present = album(named: name)?.id
        if let present, keeping.albums.contains(present) { return true }
        guard hasRoomForAnother(keeping.albums) else { return false }
        let id = try present ?? makeAlbum(name)
        keeping.albums = standing(keeping.albums) + [id]
        try noteUse(of: id)
        return true
    }

    /// What was said first stays, unless it may have been said of another photo; whether it leads is as it was said last.
    private static func take(_ told: SidecarFacts, into record: inout PhotoRecord, _ library: Library) throws {
        let former = record.told.map(SidecarFacts.init(encoded:))
        let isReplaced = former?.isUncertain == true && !told.isUncertain
        var joined = isReplaced ? told : former ?? told
        joined.isUncertain = joined.isUncertain || (told.isUncertain && (joined.takenAt == nil || joined.place == nil))
        joined.takenAt = joined.takenAt ?? told.takenAt
        joined.place = joined.place ?? told.place
        joined.said = told.said ?? joined.said
        joined.caption = former?.caption
        if joined.takenAt == told.takenAt { joined.corrections.take(.date, from: told.corrections) }
        if joined.place == told.place { joined.corrections.take(.place, from: told.corrections) }
        let isNews =
            joined.takenAt != former?.takenAt || joined.place != former?.place
            || joined.corrections != former?.corrections ?? []
        guard isNews else {
            record.told = joined.encoded
            return
        }
        // The file's own date was chosen with all that its bytes say, of which the row keeps but the result.
        let own = former?.ownTakenAt ?? record.takenAt.flatMap(CaptureTime.init(encoded:))
        (joined.ownTakenAt, joined.ownPlace) = (nil, nil)
        record.told = joined.encoded
        // What another version read, or nobody yet, is read again, and meets what is told then.
        let isCurrent = record.facts?.starts(with: FactsCoding.introduction) == true
        var facts = isCurrent ? record.facts.map(FactsCoding.decode) : nil
        if let place = former?.ownPlace {
            facts?.place = place
        } else if isReplaced, facts?.place == former?.place {
            facts?.place = nil
        }
        try note(facts, in: &record, library, now: latestTime(receivedAt: record.receivedAt))
        guard let own, own.source.isOfFile else { return }
        let isTold = record.takenAt.flatMap(CaptureTime.init(encoded:))?.source == .sidecar
        if isTold, joined.corrects(own) {
            var noted = record.told.map(SidecarFacts.init(encoded:)) ?? joined
            noted.ownTakenAt = own
            record.told = noted.encoded
        } else if own.source != .changed || !isTold {
            record.takenAt = own.encoded
        }
    }
}

extension SidecarFacts.Corrections {
    fileprivate mutating func take(_ one: Self, from other: Self) {
        if other.contains(one) { formUnion(one) } else { subtract(one) }
    }
}

extension CaptureTime.Source {
    /// The bytes of the file say so.
    package var isOfFile: Bool { [.exifWithOffset, .exif, .container, .changed, .digitized].contains(self) }
}
