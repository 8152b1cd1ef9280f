package import Content
import Foundation
import GRDB
import Media
package import Records
package import Search
import Store
import Synchronization
import Threads

extension Library {
    /// Runs what looks through the photos, with all changes that were answered. One at a time: it takes a processor.
    package func searching<R: Sendable>(
        on threads: SealingThreads, _ body: @escaping @Sendable (SearchState) throws -> R
    ) async throws -> R {
        await searchMemory.turns.acquire()
        defer { searchMemory.turns.release() }
        return try await threads.run { [self] in try body(try searchState()) }
    }

    /// Photos that are the same picture or of one moment: looked for once after each change of what is listed.
    package func alikeGroups(on threads: SealingThreads) async throws -> AlikeGroups {
        try await searching(on: threads) { [self] state in
            // Before it is read again, something may have come: then it has another number.
            let listing = listingNumber
            if let known = searchMemory.knownGroups.value(at: listing) { return known }
            let groups = AlikeGroups(state.columns)
            searchMemory.knownGroups.note(groups, at: listing)
            return groups
        }
    }

    /// Photos that nobody has looked into yet.
    package func unseenCount() async throws -> Int {
        try await read { database in
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM photo WHERE picture IS NULL AND \(LibrarySchema.isTile)") ?? 0
        }
    }

    /// Bytes and number of photos here, and of those in "Recently deleted".
    package func storage() async throws -> (photos: StoredPhotos, trash: StoredPhotos) {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT deleted IS NULL AS stays, count(*) AS count, total(byte_count) AS bytes FROM photo
                    WHERE ifnull(deleted, 0) <> \(LibrarySchema.waiting) GROUP BY 1
                    """)
            let found = Dictionary(
                rows.map { row in
                    (row["stays"] as Bool, StoredPhotos(count: row["count"], byteCount: UInt64(row["bytes"] as Double)))
                }
            ) { first, _ in first }
            return (found[true] ?? StoredPhotos(), found[false] ?? StoredPhotos())
        }
    }

    // MARK: Following changes

    private static let rowsPerRead = 500

    /// Blocking. Others read between the parts.
    private func searchState() throws -> SearchState {
        let (columns, changed) = searchMemory.state.withLock { state in
            // From here on every change is noted: what comes while all photos are read is read again.
            state.isFollowing = true
            defer { state.changed = [] }
            return (state.columns, state.changed)
        }
        do {
            let followed = try columns.map { try follow($0, changed) } ?? everything()
            searchMemory.state.withLock { $0.columns = followed }
            return try state(with: followed)
        } catch {
            searchMemory.note(changed)
            throw error
        }
    }

    private func follow(_ columns: SearchColumns, _ changed: Set<UInt64>) throws -> SearchColumns {
        guard !changed.isEmpty else { return columns }
        let serials = Array(changed)
        var rows: [SearchRow] = []
        for start in stride(from: 0, to: serials.count, by: Self.rowsPerRead) {
            let part = serials[start..<min(start + Self.rowsPerRead, serials.count)]
            let found = try readBlocking { database in
                let statement = try database.cachedStatement(
                    sql: "SELECT * FROM photo WHERE serial = ? AND \(LibrarySchema.isTile)")
                return try part.compactMap { try LibraryPhoto.fetchOne(statement, arguments: [Self.signed($0)]) }
            }
            rows += found.map(searchRow)
        }
        return SearchColumns(columns, without: changed, adding: rows)
    }

    private func everything() throws -> SearchColumns {
        var rows: [SearchRow] = []
        var last = Int64.min
        while true {
            let found = try readBlocking { [last] database in
                try LibraryPhoto.fetchAll(
                    database,
                    sql: "SELECT * FROM photo WHERE \(LibrarySchema.isTile) AND serial > ? ORDER BY serial LIMIT ?",
                    arguments: [last, Self.rowsPerRead])
            }
            rows += found.map(searchRow)
            guard let end = found.last else { return SearchColumns(SearchColumns(), without: [], adding: rows) }
            last = Self.signed(end.serial)
        }
    }

    private func state(with columns: SearchColumns) throws -> SearchState {
        let rows = try readBlocking { try Row.fetchAll($0, sql: "SELECT id, name FROM album ORDER BY used") }
        var albums: [UInt32: (id: AlbumID, name: String)] = [:]
        for row in rows {
            guard let id = AlbumID(bytes: row["id"] as Data) else { continue }
            albums[number(of: id)] = (id, row["name"])
        }
        let albumNames = albums.mapValues { FoldedText.fold($0.name) }
        let cameras = searchMemory.state.withLock { $0.cameras }
        let names = SearchNames(
            albums: Dictionary(albumNames.map { ($1, $0) }) { first, _ in first }, cameras: cameras,
            places: placeNames())
        return SearchState(columns: columns, names: names, albumNames: albumNames, albums: albums)
    }

    /// Made anew once there are places that were none before. Nil without a gazetteer.
    private func placeNames() -> PlaceNames? {
        guard let gazetteer else { return nil }
        return searchMemory.state.withLock { state in
            if let known = state.placeNames, state.placesNamed == state.places.count { return known }
            let names = PlaceNames(gazetteer, state.places)
            (state.placeNames, state.placesNamed) = (names, state.places.count)
            return names
        }
    }

    private func number(of located: Located) -> Int {
        var located = located
        located.isNear = false
        return searchMemory.state.withLock { [located] state in
            if let number = state.placeNumbers[located] { return number }
            state.placeNumbers[located] = state.places.count
            state.places.append(located)
            return state.places.count - 1
        }
    }

    private func number(of album: AlbumID) -> UInt32 {
        searchMemory.state.withLock { state in
            let next = UInt32(state.albumNumbers.count)
            state.albumNumbers[album] = state.albumNumbers[album] ?? next
            return state.albumNumbers[album] ?? next
        }
    }

    // MARK: What a search knows of a photo

    private func searchRow(_ photo: LibraryPhoto) -> SearchRow {
        let (details, type) = (PhotoDetails(photo), MediaType(mimeType: photo.type))
        let facts = details.facts
        let camera = Self.camera(facts)
        note([facts.cameraMake, facts.cameraModel, camera].compactMap { $0 })
        var row = SearchRow(
            serial: photo.serial, shownAt: photo.shownAt, byteCount: photo.byteCount, traits: [], name: photo.name,
            others: [
                details.keeping.caption, camera, facts.lens, details.given?.doorName, details.given?.giver,
                photo.words,
            ])
        (row.width, row.height) = (UInt32(clamping: facts.width ?? 0), UInt32(clamping: facts.height ?? 0))
        row.traits = PhotoTraits(
            type: type, width: row.width, height: row.height, foldedName: row.foldedName[...], hasCamera: camera != nil)
        if facts.isAnimated || type == .gif { row.traits.insert(PhotoTraits(.animated)) }
        if facts.motion != nil { row.traits.insert(PhotoTraits(.live)) }
        row.traits.insert(PhotoTraits(details.place != nil ? .located : .unlocated))
        row.position = details.place
        row.location = gazetteer.flatMap(details.located).map(number)
        if photo.damagedAt != nil || details.picture == .unreadable(.damaged) {
            row.traits.insert(PhotoTraits(.damaged))
        }
        if details.keeping.caption != nil { row.traits.insert(.captioned) }
        if photo.words != nil { row.traits.insert(.written) }
        if details.keeping.isApart { row.traits.insert(.apart) }
        if details.keeping.isFavourite { row.traits.insert(PhotoTraits(.favourite)) }
        if details.keeping.isArchived { row.traits.insert(PhotoTraits(.archived)) }
        row.length = UInt32(clamping: facts.duration?.milliseconds ?? 0)
        row.albums = details.keeping.albums.map(number)
        row.placeholder = facts.placeholder ?? []
        row.shotAt = details.takenAt.flatMap { $0.isOfCamera ? $0.wallClockMilliseconds : nil }
        row.half = LivePhotoHalf(photo, details, type)
        row.shot = photo.shot(details).map { $0.hashValue | 1 } ?? 0
        return row
    }

    private static func camera(_ facts: MediaFacts) -> String? {
        let parts = [facts.cameraMake, facts.cameraModel].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// More cameras than these are found by their words all the same.
    private static let mostCameras = 3000

    private func note(_ cameras: [String]) {
        let folded = cameras.map { FoldedText.fold($0) }
        searchMemory.state.withLock { state in
            for camera in folded where state.cameras.count < Self.mostCameras { state.cameras.insert(camera) }
        }
    }
}

package struct StoredPhotos: Sendable {
    package var count = 0
    package var byteCount: UInt64 = 0
}

extension PhotoDetails {
    /// What the place is called where it was taken; nil where nobody knows, or it has no name.
    package func located(by gazetteer: Gazetteer) -> Located? {
        guard let place else { return nil }
        // Whoever chose a town by its name means it, though another one begins beside its middle.
        if let said = keeping.place, said.town != 0, let town = gazetteer.town(id: said.town, near: place) {
            return Located(name: .town(town))
        }
        return gazetteer.locate(place)
    }
}

extension CaptureTime {
    /// Whether whoever took it says so: a file's time and its name are those of a copy.
    fileprivate var isOfCamera: Bool {
        precision == .moment && source.isOfFile
    }
}

extension LivePhotoHalf {
    fileprivate init(_ photo: LibraryPhoto, _ details: PhotoDetails, _ type: MediaType) {
        self.init()
        typealias Candidate = LivePhotoPairing<UInt64>.Candidate
        stem = Candidate.stem(of: photo.name).hashValue
        identifier = details.facts.contentIdentifier.map { $0.hashValue | 1 } ?? 0
        takenAt = details.takenAt?.milliseconds
        isInstant = details.takenAt.map { $0.isInstant && !$0.isInstantOfPlace } ?? false
        isPhoto = type.isPicture
        isShort = details.facts.duration.map { $0 <= Candidate.longestDuration } ?? false
        isVideo = type.isVideo && (isShort || identifier != 0)
    }
}

/// A question about content, as columns of the library.
struct LibraryQuestion: Sendable {
    let byteCount: UInt64
    let column: String
    let digest: [UInt8]
    /// When the library has it.
    let answer: ContentAnswer

    init(_ question: ContentQuestion) throws {
        switch question {
        case .whole(let byteCount, let sha256):
            self.init(byteCount: byteCount, column: "sha256", digest: sha256, answer: .known)
        case .tree(let byteCount, let digest):
            self.init(byteCount: byteCount, column: "tree", digest: digest, answer: .known)
        case .ends(let byteCount, let first, let last):
            // Content of one piece has one digest, that of the whole.
            let isOnePiece = byteCount <= ContentDigests.pieceByteCount
            self.init(
                byteCount: byteCount, column: isOnePiece ? "sha256" : "ends",
                digest: isOnePiece ? first : try ContentDigests.ends(first: first, last: last), answer: .maybe)
        }
    }

    private init(byteCount: UInt64, column: String, digest: [UInt8], answer: ContentAnswer) {
        self.byteCount = byteCount
        self.column = column
        self.digest = digest
        self.answer = answer
    }
}

/// What a search knows of a vault's photos: read by the first who searches, and brought up to date by every later one.
final class SearchMemory: Sendable {
    struct State {
        /// Nil until somebody searched.
        var columns: SearchColumns?
        /// Photos that were entered, changed or removed since the columns were read.
        var changed: Set<UInt64> = []
        var albumNumbers: [AlbumID: UInt32] = [:]
        var cameras: Set<[UInt8]> = []
        /// What places of photos are called, by their numbers, and the other way around.
        var places: [Located] = []
        var placeNumbers: [Located: Int] = [:]
        /// Names of so many of them.
        var placeNames: PlaceNames?
        var placesNamed = 0
        var isFollowing = false
    }

    /// Of those who search a vault at once, one brings the columns up to date, and one looks through them.
    let turns = AsyncLock()
    let state = Mutex(State())
    let knownGroups = ListingMemory<AlikeGroups>()

    /// After the change: whoever takes the numbers finds it.
    func note(_ serials: some Sequence<UInt64>) {
        state.withLock { if $0.isFollowing { $0.changed.formUnion(serials) } }
    }
}

/// Photos of a vault as they stand, and what is called by a name there.
package struct SearchState: Sendable {
    package let columns: SearchColumns
    package let names: SearchNames
    /// As they are compared, by their numbers.
    package let albumNames: [UInt32: [UInt8]]
    package let albums: [UInt32: (id: AlbumID, name: String)]

    /// Places of what a query means, the newest first.
    package func places(_ query: SearchQuery) -> [Int] {
        columns.places(query, albumNames: albumNames, placeNames: names.places)
    }
}

/// What was read of a library, and the listing number under which it holds.
final class ListingMemory<Value: Sendable>: Sendable {
    private let known = Mutex<(listing: UInt64, value: Value)?>(nil)

    /// Nil when something else may be listed now.
    func value(at listing: UInt64) -> Value? {
        known.withLock { known in known.flatMap { $0.listing == listing ? $0.value : nil } }
    }

    func note(_ value: Value, at listing: UInt64) { known.withLock { $0 = (listing, value) } }
}
