import Records
import Store
import Synchronization

extension OpenVault {
    /// Blocking. Every row out, every object doomed, every slot listed for wiping, every session that outlives the
    /// daemon dead, in one transaction. The vault is of no use afterwards.
    /// - Throws: `sessionEnded` for a guest's space that has moved: its objects are a vault's now.
    package func eraseBlocking(slots: [(position: UInt32, hash: [UInt8])] = []) throws {
        try removeAllBlocking(slots: slots, before: try state.withLock { try Self.end(&$0) })
    }

    /// The same for a guest's space in which nothing is. Whether that is so, the ledger's writer says, between two
    /// changes: what it took before is seen, and what comes behind is refused.
    /// - Returns: false, and nothing has happened, when something has come.
    package func eraseEmptyBlocking() throws -> Bool {
        guard let space else { return false }
        let before = Mutex<Writing?>(nil)
        do {
            try store.ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { [self] transaction, _ in
                    // It may be done more than once.
                    guard before.withLock({ $0 == nil }), try transaction.isEmptyGuest(space) else { return }
                    let writing = try state.withLock { try Self.end(&$0) }
                    before.withLock { $0 = writing }
                })
        } catch {
            before.withLock { before in if let before { state.withLock { $0.writing = before } } }
            throw error
        }
        guard let before = before.withLock({ $0 }) else { return false }
        try removeAllBlocking(slots: [], before: before)
        return true
    }

    /// Nothing is written from here on.
    private static func end(_ state: inout State) throws -> Writing {
        if case .moved = state.writing { throw VaultError.sessionEnded }
        defer { state.writing = .ended }
        return state.writing
    }

    private func removeAllBlocking(slots: [(position: UInt32, hash: [UInt8])], before: Writing) throws {
        do {
            // Changes queued before run out first, so that the library names every object.
            try store.ledger.commitBlocking(LedgerChange(mayUseReserve: true) { _, _ in })
            let photos = try library.allBlocking()
            let objects = Set(photos.map(\.object))
            // In the order in which they lie in the ledger: in any other one each would need a page of its own.
            let orderedObjects = objects.sorted()
            let previews = try previewIDs(of: photos).sorted()
            let rows =
                (try (0..<head.rowCount).map { try rowID(.item($0)) } + [rowID(.head)]
                + [head.formerHead].compactMap { $0 }).sorted()
            let (uploads, sessions) = (uploads.all, keptSessions.map(\.id))
            let doors = doors.compactMap { try? keys(of: $0.id).token.id }
            try store.ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { [self, home] transaction, _ in
                    for row in rows {
                        try doomUnopened(row, besides: objects, in: transaction)
                        try transaction.deleteRow(row, in: home)
                    }
                    for object in orderedObjects { try transaction.doomObject(object) }
                    try transaction.doomPreviews(previews)
                    for upload in uploads {
                        try noteUpload(nil, at: upload.rowID, until: nil, transaction)
                        try transaction.doomUpload(upload.rowID)
                    }
                    // Nobody could ever take what would be given there.
                    for door in doors { try transaction.deleteDoor(door) }
                    if let space { try transaction.deleteArrival(space) }
                    for session in sessions { try transaction.deleteSession(session) }
                    for slot in slots { try transaction.addWipe(position: slot.position, hash: slot.hash) }
                })
        } catch {
            state.withLock { $0.writing = before }
            throw error
        }
    }

    /// The object of a guest's row that does not open any more: no vault could have it, so nobody waits for the row.
    private func doomUnopened(
        _ row: RowID, besides objects: Set<ObjectID>, in transaction: LedgerTransaction
    ) throws {
        guard case .guest = home, let object = try transaction.guestObject(of: row), !objects.contains(object) else {
            return
        }
        try transaction.doomObject(object)
    }

    /// A row that does not open any more has lost its key, and with that its previews' ids.
    private func previewIDs(of photos: [LibraryPhoto]) throws -> [PreviewID] {
        try store.ledger.readBlocking { reader in
            try photos.flatMap { photo -> [PreviewID] in
                let id = try rowID(.item(photo.rowNumber))
                guard let body = try reader.row(id, in: home), let fileKey = try? fileKey(in: body, id: id) else {
                    return []
                }
                return try Self.previewIDs(fileKey)
            }
        }
    }
}
