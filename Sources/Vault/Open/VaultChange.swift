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
