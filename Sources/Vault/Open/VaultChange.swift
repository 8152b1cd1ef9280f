package import Records
package import Sealing
package import Store

/// One change of one vault, inside the ledger's transaction: rows are sealed and written, and the draft of the head
/// follows. The draft counts only if the whole change succeeds.
package struct VaultChange {
    private static let emptyRowsAtBirth = 16

    package let transaction: LedgerTransaction
    /// The object of the upload that this change publishes.
    package let object: ObjectID?
    package let vault: OpenVault
    package var draft: VaultDraft

    package init(transaction: LedgerTransaction, object: ObjectID?, vault: OpenVault, draft: VaultDraft) {
        self.transaction = transaction
        self.object = object
        self.vault = vault
        self.draft = draft
    }

    /// Writes a row and moves the accumulator from what stood there to what stands there now.
    package mutating func put(_ piece: RowPiece, at number: UInt64, fileKey: SharedSecret? = nil) throws {
        let id = try vault.rowID(.item(number))
        let body = try vault.seal(piece, id: id, fileKey: fileKey)
        try account(for: id, body)
        guard vault.isGuest else { return try transaction.putRow(id, body, in: vault.home) }
        // The row of a guest's photo will have to go without its key.
        let previews = try fileKey.map(OpenVault.previewIDs) ?? []
        try transaction.putRow(
            id, body, in: vault.home, object: piece.photoObject, previews: previews, space: vault.space)
    }

    /// Seals a few rows again, so that the head does not stand out between two copies of the ledger.
    mutating func stir(_ count: Int) throws {
        for _ in 0..<count where draft.head.rowCount > 0 {
            let id = try vault.rowID(.item(UInt64.random(in: 0..<draft.head.rowCount)))
            guard let body = try transaction.row(id, in: vault.home) else { continue }
            guard let stirred = try? vault.reseal(body, id: id) else { continue }
            try account(for: id, stirred)
            try transaction.replaceBody(of: id, stirred, in: vault.home)
        }
    }

    /// The number of a row to write: an empty one, else a new one.
    mutating func takeNumber() -> UInt64 {
        draft.emptyNumbers.popLast() ?? takeNewNumber()
    }

    package mutating func takeNewNumber() -> UInt64 {
        defer { draft.head.rowCount += 1 }
        return draft.head.rowCount
    }

    /// The rows that a vault is born with beside its head.
    package mutating func makeRowsAtBirth() throws {
        for _ in 0..<Self.emptyRowsAtBirth { try makeEmpty(takeNewNumber()) }
    }

    package mutating func makeEmpty(_ number: UInt64) throws {
        try put(RowPiece(kind: .empty), at: number)
        draft.emptyNumbers.append(number)
    }

    /// Writes a record into a chain of rows that begins at `first`.
    mutating func putChain(_ kind: RowPiece.Kind, payload: [UInt8], first: UInt64, fileKey: SharedSecret? = nil) throws
    {
        let parts = RowPiece.parts(of: payload)
        // What is longer could not be read.
        guard parts.count <= RowChains.mostRows else { throw VaultError.internalFailure("a record is too long") }
        let numbers = [first] + parts.dropFirst().map { _ in takeNumber() }
        for (index, part) in parts.enumerated() {
            let next = index + 1 < numbers.count ? numbers[index + 1] : nil
            try put(
                RowPiece(kind: index == 0 ? kind : .continuation, next: next, payload: part), at: numbers[index],
                fileKey: index == 0 ? fileKey : nil)
        }
    }

    /// Adds a record of a kind that only a later version knows.
    package mutating func addUnknown(_ kind: RowPiece.Kind, payload: [UInt8]) throws {
        try putChain(kind, payload: payload, first: takeNumber())
    }

    /// Makes the accumulator the sum of the rows that verify, and takes out those that do not, and those that belong to
    /// no whole record. Everything is read inside the transaction, for another session may be adding photos. The empty
    /// numbers are found anew, for a row that was empty may be among those that do not verify.
    package mutating func rebase() throws {
        draft.head.accumulator = SetAccumulator()
        draft.emptyNumbers = []
        var lost: [UInt64] = []
        var chains = RowChains()
        for number in 0..<draft.head.rowCount {
            let id = try vault.rowID(.item(number))
            if let body = try transaction.row(id, in: vault.home), let piece = try vault.openIfSound(body, id: id) {
                draft.head.accumulator.add(try vault.element(id: id, body: body))
                chains.add(number, piece)
                if piece.kind == .empty { draft.emptyNumbers.append(number) }
            } else {
                try transaction.deleteRow(id, in: vault.home)
                lost.append(number)
            }
        }
        let (broken, objects) = chains.takeBroken()
        draft.head.storedByteCount = chains.storedByteCount
        // The next start puts their files aside, for a row may yet be put back.
        for object in objects { try transaction.forgetObject(object) }
        try doomPreviews(ofRows: broken)
        try forget(standingAt: Set(lost + broken))
        for number in lost + broken { try makeEmpty(number) }
    }

    /// What was found at the opening, or came since, and stands in rows that go now: their numbers are taken again.
    private mutating func forget(standingAt numbers: Set<UInt64>) throws {
        for photo in try photos() where numbers.contains(photo.rowNumber) {
            draft.note(.remove(serial: photo.serial))
            // Nobody can open it any more; the next start puts the file aside.
            try transaction.forgetObject(photo.object)
        }
        for batch in try batches() where numbers.contains(batch.rowNumber) {
            draft.note(.removeBatch(batch.record.id))
        }
        for session in draft.keptSessions where numbers.contains(session.rowNumber) {
            try transaction.deleteSession(session.id)
        }
        draft.keptSessions.removeAll { numbers.contains($0.rowNumber) }
        draft.ways.removeAll { numbers.contains($0.rowNumber) }
        for door in draft.doors.values where numbers.contains(door.rowNumber) { draft.doors[door.record.id] = nil }
        for window in draft.windows.values where numbers.contains(window.rowNumber) {
            draft.windows[window.record.id] = nil
            try transaction.forgetObject(window.record.list.object)
            try ifSound { try $0.transaction.deleteDoor($0.vault.token(of: window.record).id) }
        }
        for album in draft.albums.values where numbers.contains(album.rowNumber) {
            draft.albums[album.record.id] = nil
            draft.note(.removeAlbum(row: album.rowNumber))
        }
    }

    /// Dooms the previews of photos whose records break off.
    private func doomPreviews(ofRows numbers: [UInt64]) throws {
        for number in numbers {
            let id = try vault.rowID(.item(number))
            guard let body = try transaction.row(id, in: vault.home), let fileKey = try? vault.fileKey(in: body, id: id)
            else { continue }
            try transaction.doomPreviews(OpenVault.previewIDs(fileKey))
        }
    }

    /// The rows of a record, first to last.
    package func chain(from first: UInt64) throws -> [OpenVault.ChainRow] {
        try vault.chain(from: first) { try transaction.row($0, in: vault.home) }
    }

    /// What stood there goes out of the accumulator, and what will stand there goes in.
    private mutating func account(for id: RowID, _ body: [UInt8]) throws {
        if let old = try transaction.row(id, in: vault.home) {
            draft.head.accumulator.subtract(try vault.element(id: id, body: old))
        }
        draft.head.accumulator.add(try vault.element(id: id, body: body))
    }
}

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
    package var windows: [WindowName: WindowEntry]
    var windowNews: [WindowNews] = []
    /// What a window shows may not be what its list says.
    var hasStaleWindows = false
    package private(set) var libraryChanges: [LibraryChange] = []
    /// Where the last change of each photo stands among them.
    private var latest: [UInt64: Int] = [:]

    init(
        head: VaultHead, emptyNumbers: [UInt64], keptSessions: [KeptSession] = [], ways: [WayRecord] = [],
        albums: [AlbumEntry] = [], doors: [DoorEntry] = [], windows: [WindowEntry] = []
    ) {
        self.head = head
        self.emptyNumbers = emptyNumbers
        self.keptSessions = keptSessions
        self.ways = ways
        self.albums = Dictionary(albums.map { ($0.record.id, $0) }) { first, _ in first }
        self.doors = Dictionary(doors.map { ($0.record.id, $0) }) { first, _ in first }
        self.windows = Dictionary(windows.map { ($0.record.id, $0) }) { first, _ in first }
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

    mutating func takeWindowNews() -> (news: [WindowNews], isStale: Bool) {
        defer { (windowNews, hasStaleWindows) = ([], false) }
        return (windowNews, hasStaleWindows)
    }

    /// The last one of this photo.
    func lastChange(of serial: UInt64) -> LibraryChange? { latest[serial].map { libraryChanges[$0] } }
}

extension VaultChange {
    /// Lists a session and stores its row.
    package mutating func keep(
        _ id: SessionID, body: [UInt8], lastDay: UInt32, way: WayID = .first, device: DeviceKind = DeviceKind(),
        today: UInt32
    ) throws {
        try forgetSessions { $0.lastDay < today }
        while draft.keptSessions.count >= KeptSession.most, let oldest = draft.keptSessions.first {
            try forgetSessions { $0.id == oldest.id }
        }
        let session = KeptSession(id: id, lastDay: lastDay, rowNumber: takeNumber(), way: way, device: device)
        try put(RowPiece(kind: .keptSession, payload: session.payload), at: session.rowNumber)
        try transaction.putSession(id, body: body, expiresDay: lastDay)
        draft.keptSessions.append(session)
    }

    /// They are dead with this commit.
    package mutating func forgetSessions(where condition: (KeptSession) -> Bool) throws {
        for session in draft.keptSessions where condition(session) {
            try transaction.deleteSession(session.id)
            try makeEmpty(session.rowNumber)
        }
        draft.keptSessions.removeAll(where: condition)
    }
}

extension VaultChange {
    /// Lists a way that is not listed yet.
    package mutating func add(_ way: WayRecord) throws {
        var way = way
        way.rowNumber = takeNumber()
        try put(way)
        draft.ways.append(way)
    }

    /// It is not listed any more, and sessions that outlive the daemon and came that way are dead.
    package mutating func removeWay(_ id: WayID) throws {
        if id == .first { draft.head.slotSets = [] }
        for way in draft.ways where way.id == id { try makeEmpty(way.rowNumber) }
        draft.ways.removeAll { $0.id == id }
        try forgetSessions { $0.way == id }
    }

    package mutating func changeSlotSets(of id: WayID, _ body: (inout [SlotSet]) -> Void) throws {
        if id == .first { return body(&draft.head.slotSets) }
        guard let index = draft.ways.firstIndex(where: { $0.id == id }) else { throw VaultError.noSuchWay }
        let before = draft.ways[index]
        body(&draft.ways[index].slotSets)
        if draft.ways[index] != before { try put(draft.ways[index]) }
    }

    private mutating func put(_ way: WayRecord) throws {
        let payload = way.payload
        guard payload.count <= RowPiece.payloadLimit else { throw VaultError.internalFailure("a way is too long") }
        try put(RowPiece(kind: .way, payload: payload), at: way.rowNumber)
    }
}
