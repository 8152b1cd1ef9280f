package import Records

/// What a vault's memory will be once the running transaction is committed.
package struct VaultDraft: Sendable {
    package var head: VaultHead
    /// Numbers of rows that hold nothing.
    var emptyNumbers: [UInt64]
    /// The oldest first.
    package var keptSessions: [KeptSession]
    /// Ways besides the first password, which stands in the head.
    var ways: [WayRecord]
    package var albums: [AlbumID: AlbumEntry]
    package var doors: [DoorName: DoorEntry]
    package private(set) var libraryChanges: [LibraryChange] = []
    /// Where the last change of each photo stands among them.
    private var latest: [UInt64: Int] = [:]

    init(
        head: VaultHead, emptyNumbers: [UInt64], keptSessions: [KeptSession] = [], ways: [WayRecord] = [],
        albums: [AlbumEntry] = [], doors: [DoorEntry] = []
    ) {
        self.head = head
        self.emptyNumbers = emptyNumbers
        self.keptSessions = keptSessions
        self.ways = ways
        self.albums = Dictionary(albums.map { ($0.record.id, $0) }) { first, _ in first }
        self.doors = Dictionary(doors.map { ($0.record.id, $0) }) { first, _ in first }
    }

    // MARK: Changes of the library

    mutating func note(_ change: LibraryChange) {
        if let serial = change.serial { latest[serial] = libraryChanges.count }
        libraryChanges.append(change)
    }

    /// - Parameter change: of the same photo as the last one.
    mutating func replaceLast(by change: LibraryChange) {
        libraryChanges.removeLast()
        note(change)
    }

    mutating func takeLibraryChanges() -> [LibraryChange] {
        defer { (libraryChanges, latest) = ([], [:]) }
        return libraryChanges
    }

    /// The last one of this photo.
    func lastChange(of serial: UInt64) -> LibraryChange? { latest[serial].map { libraryChanges[$0] } }
}
