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
    package var albums: [AlbumName]
    /// It lay in the trash where it was brought from.
    package var isTrashed = false

    package init(facts: SidecarFacts, caption: String? = nil, isFavourite: Bool = false, albums: [AlbumName] = []) {
        self.facts = facts
        self.caption = caption
        self.isFavourite = isFavourite
        self.albums = albums
    }
}

extension SidecarWords {
    /// From what anybody may have written: texts are cut to what a vault takes, and albums without a name left out.
    package init(
        takenAt: CaptureTime?, place: Place?, caption: String?, isFavourite: Bool, albums: [String]
    ) {
        self.init(
            facts: SidecarFacts(takenAt: takenAt, place: place), caption: caption.map(Self.cut),
            isFavourite: isFavourite, albums: albums.compactMap { try? AlbumName(AlbumName.cut($0)) })
    }

    /// Of what somebody gave only what whoever gave it can know counts.
    /// - Parameter mayBeTrashed: it came by this very sending, and is its sender's.
    init(_ note: SidecarNote, isGiven: Bool, isGuest: Bool, mayBeTrashed: Bool) throws {
        self.init(
            takenAt: note.takenAt, place: note.place, caption: note.caption,
            isFavourite: note.isFavourite && !isGiven, albums: isGiven || isGuest ? [] : note.albums)
        isTrashed = note.isTrashed && mayBeTrashed && !isGiven
        facts.said = try digest()
    }

    /// It adds nothing to what is known of any photo.
    var isSilent: Bool {
        facts.takenAt == nil && facts.place == nil && caption == nil && !isFavourite && albums.isEmpty && !isTrashed
    }

    private func digest() throws -> [UInt8] {
        let texts = [caption ?? ""] + albums.map(\.text)
        var bytes = facts.encoded + [isFavourite ? 1 : 0, isTrashed ? 1 : 0]
        for text in texts { bytes += Array(text.utf8) + [0] }
        return Array(try bytes.withUnsafeBytes { try SHA256Hasher.hash($0) }.prefix(8))
    }

    private static func cut(_ caption: String) -> String {
        let scalars = caption.unicodeScalars.filter { $0 != "\0" }.prefix(Keeping.longestCaption)
        return String(String.UnicodeScalarView(scalars))
    }
}

extension VaultChange {
    /// Adds what is said to what is known; said again it changes nothing. What a person wrote here stays, and so does
    /// the date that the file itself tells.
    /// - Throws: `noSuchPhoto`.
    package mutating func tell(_ words: SidecarWords, of serial: UInt64) throws {
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
        after.keeping.caption = before.keeping.caption ?? words.caption
        for name in words.albums { try join(&after.keeping, name) }
        guard after != before else { return }
        let written = after
        try update(at: photo.rowNumber) { $0 = written }
        try tellZone(of: written)
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
    private mutating func join(_ keeping: inout Keeping, _ name: AlbumName) throws {
        let id = try album(named: name)?.id ?? makeAlbum(name)
        guard !keeping.albums.contains(id), hasRoomForAnother(keeping.albums) else { return }
        keeping.albums = standing(keeping.albums) + [id]
        try noteUse(of: id)
    }

    private static func take(_ told: SidecarFacts, into record: inout PhotoRecord, _ library: Library) throws {
        let former = record.told.map(SidecarFacts.init(encoded:))
        let joined = SidecarFacts(
            takenAt: former?.takenAt ?? told.takenAt, place: former?.place ?? told.place,
            said: told.said ?? former?.said)
        guard joined != former else { return }
        record.told = joined.encoded
        guard joined.takenAt != former?.takenAt || joined.place != former?.place else { return }
        // What another version read, or nobody yet, is read again, and meets what is told then.
        let isCurrent = record.facts?.starts(with: FactsCoding.introduction) == true
        let facts = isCurrent ? record.facts.map(FactsCoding.decode) : nil
        let taken = record.takenAt
        try note(facts, in: &record, library, now: latestTime(receivedAt: record.receivedAt))
        // The file's own date was chosen with all that its bytes say, of which the row keeps but the result.
        guard let own = taken.flatMap(CaptureTime.init(encoded:))?.source, own.isOfFile else { return }
        let isTold = record.takenAt.flatMap(CaptureTime.init(encoded:))?.source == .sidecar
        if own != .changed || !isTold { record.takenAt = taken }
    }
}

extension CaptureTime.Source {
    /// The bytes of the file say so.
    package var isOfFile: Bool { [.exifWithOffset, .exif, .container, .changed, .digitized].contains(self) }
}
