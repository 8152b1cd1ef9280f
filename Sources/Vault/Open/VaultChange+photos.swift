package import Records
package import Sealing
package import Store

extension VaultChange {
    /// Adds a photo: its object is the one that this change publishes, or a part that lies there. The record's serial
    /// and object are filled in.
    package mutating func add(_ record: PhotoRecord, fileKey: SharedSecret, part: ObjectID? = nil) throws -> PhotoRecord
    {
        guard let object = object ?? part else { throw VaultError.internalFailure("a photo without an object") }
        var record = record
        record.object = object
        try noteGiven(record)
        record.serial = draft.head.nextSerial
        draft.head.nextSerial += 1
        draft.head.storedByteCount += record.storedByteCount
        try transaction.addObject(object)
        let number = takeNumber()
        try write(record, fileKey: fileKey, at: number)
        return record
    }

    /// Writes a changed record over the old one; its file key stays, unless another is given with another object.
    package mutating func update(
        at number: UInt64, fileKey newKey: SharedSecret? = nil, _ change: (inout PhotoRecord) throws -> Void
    ) throws {
        let chain = try chain(from: number)
        var record = try PhotoRecord.decode(chain.flatMap(\.piece.payload))
        let fileKey = try newKey ?? vault.fileKey(of: chain)
        try change(&record)
        for row in chain.dropFirst() { try makeEmpty(row.number) }
        try write(record, fileKey: fileKey, at: number)
    }

    /// - Returns: how many of these photos there are that meet the condition, all of which are changed.
    package mutating func update(
        _ serials: some Sequence<UInt64>, where condition: (LibraryPhoto) -> Bool, _ change: (inout PhotoRecord) -> Void
    ) throws -> Int {
        var count = 0
        for serial in serials {
            guard let photo = try current(serial, in: vault.library), condition(photo) else { continue }
            try update(at: photo.rowNumber, change)
            count += 1
        }
        return count
    }

    /// The photo is gone with this commit: its rows hold nothing, its object is doomed.
    /// - Parameter kept: the serial of an older one with the same content, to which those who know this one are led.
    package mutating func remove(at number: UInt64, inFavourOf kept: UInt64? = nil) throws {
        let chain = try chain(from: number)
        let previews = try OpenVault.previewIDs(vault.fileKey(of: chain))
        let record = try vacate(chain)
        try transaction.doomObject(record.object)
        try transaction.doomPreviews(previews)
        try noteTakenBack(record)
        noteGone(record, inFavourOf: kept)
    }

    /// The photo is another vault's with this commit, or another one's of this vault: its rows hold nothing, and its object
    /// stays.
    /// - Parameter kept: the serial of the one that has the object now, to which those who know this one are led.
    package mutating func release(at number: UInt64, inFavourOf kept: UInt64? = nil) throws {
        noteGone(try vacate(try chain(from: number)), inFavourOf: kept)
    }

    private mutating func noteGone(_ record: PhotoRecord, inFavourOf kept: UInt64?) {
        draft.note(kept.map { .replace(serial: record.serial, by: $0) } ?? .remove(serial: record.serial))
    }

    /// The rows of a photo hold nothing any more, and it takes no room.
    private mutating func vacate(_ chain: [OpenVault.ChainRow]) throws -> PhotoRecord {
        let record = try PhotoRecord.decode(chain.flatMap(\.piece.payload))
        for row in chain { try makeEmpty(row.number) }
        draft.head.storedByteCount -= min(draft.head.storedByteCount, record.storedByteCount)
        return record
    }

    /// A photo as it stands after the changes that run before this one in the same transaction. Called on the writer
    /// thread only, where the library follows every commit.
    package func current(_ serial: UInt64, in library: Library) throws -> LibraryPhoto? {
        guard let change = draft.lastChange(of: serial) else { return try library.photoBlocking(serial: serial) }
        guard case .put(let entry) = change else { return nil }
        return LibraryPhoto(library.asFound(entry))
    }

    /// The same, or the older photo of the same content that was kept in its place.
    package func currentOrKept(_ serial: UInt64) throws -> LibraryPhoto? {
        if case .replace(_, let kept) = draft.lastChange(of: serial) { return try currentOrKept(kept) }
        if let found = try current(serial, in: vault.library) { return found }
        guard let kept = try vault.library.photoOrKeptBlocking(serial: serial), kept.serial != serial else {
            return nil
        }
        return try currentOrKept(kept.serial)
    }

    /// All photos, as `current` gives each; oldest first.
    package func photos() throws -> [LibraryPhoto] {
        var photos: [UInt64: LibraryPhoto] = [:]
        for photo in try vault.library.allBlocking() { photos[photo.serial] = photo }
        for change in draft.libraryChanges {
            switch change {
            case .put(let entry): photos[entry.record.serial] = LibraryPhoto(vault.library.asFound(entry))
            case .remove(let serial), .replace(let serial, _): photos[serial] = nil
            case .putBatch, .removeBatch, .putAlbum, .removeAlbum: break
            }
        }
        return photos.values.sorted { $0.serial < $1.serial }
    }

    private mutating func write(_ record: PhotoRecord, fileKey: SharedSecret, at number: UInt64) throws {
        try putChain(.photo, payload: record.encoded, first: number, fileKey: fileKey)
        draft.note(.put(LibraryEntry(rowNumber: number, record: record)))
    }
}

extension VaultChange {
    package mutating func add(_ batch: BatchRecord) throws {
        let number = takeNumber()
        try put(RowPiece(kind: .batch, payload: batch.encoded), at: number)
        draft.note(.putBatch(BatchEntry(rowNumber: number, record: batch)))
    }

    /// - Throws: `noSuchBatch`.
    package mutating func finish(_ entry: BatchEntry) throws {
        var record = try batch(at: entry)
        record.isFinished = true
        try put(RowPiece(kind: .batch, payload: record.encoded), at: entry.rowNumber)
        draft.note(.putBatch(BatchEntry(rowNumber: entry.rowNumber, record: record)))
    }

    package mutating func remove(_ entry: BatchEntry) throws {
        _ = try batch(at: entry)
        try makeEmpty(entry.rowNumber)
        draft.note(.removeBatch(entry.record.id))
    }

    /// All batches, as they stand after the changes that run before this one in the same transaction.
    package func batches() throws -> [BatchEntry] {
        var batches: [BatchID: BatchEntry] = [:]
        for entry in try vault.library.allBatchesBlocking() { batches[entry.record.id] = entry }
        for change in draft.libraryChanges {
            switch change {
            case .putBatch(let entry): batches[entry.record.id] = entry
            case .removeBatch(let id): batches[id] = nil
            case .put, .remove, .replace, .putAlbum, .removeAlbum: break
            }
        }
        return Array(batches.values)
    }

    /// The row as it is now.
    private func batch(at entry: BatchEntry) throws -> BatchRecord {
        guard let row = try chain(from: entry.rowNumber).first, row.piece.kind == .batch else {
            throw VaultError.noSuchBatch
        }
        let record = try BatchRecord(row.piece.payload)
        guard record.id == entry.record.id else { throw VaultError.noSuchBatch }
        return record
    }
}

extension OpenVault {
    /// A batch costs a row, and nobody has to send anything for it.
    package func makePlaceForBatch() async throws {
        let most = isGuest ? engine.limits.emptyGuestBatches : engine.limits.emptyBatches
        let empty = try await library.emptyBatches()
        guard empty.count >= most else { return }
        let underWay = Set(uploads.all.compactMap(\.record.batch))
        guard let first = empty.first(where: { !underWay.contains($0.record.id) }) else { return }
        do { try await change { try $0.remove(first) } } catch VaultError.noSuchBatch {}
    }

    /// Their rows hold nothing afterwards.
    func forgetExpiredBatches() async throws {
        for entry in try library.expiredBatches(today: store.today) {
            do {
                try await change { try $0.remove(entry) }
            } catch VaultError.noSuchBatch {
                continue
            }
        }
    }
}

extension VaultChange {
    /// Calls a photo something else; when it was taken may follow from that.
    /// - Throws: `noSuchPhoto`.
    package mutating func rename(_ serial: UInt64, to name: String) throws {
        try changeFile(serial) { $0.name = name }
    }

    /// What its sender says of when the file was changed last; when it was taken may follow from that.
    /// - Parameter time: milliseconds since 1970.
    /// - Throws: `noSuchPhoto`.
    package mutating func setFileTime(_ serial: UInt64, to time: UInt64) throws {
        try changeFile(serial) { $0.modifiedAt = time }
    }

    /// A file whose content is another one now. The former photo lies in "Recently deleted"; what people did with it goes on
    /// with the new one, whose own caption stays. Nothing happens where one of them is gone by then.
    /// - Parameter moment: milliseconds since 1970.
    package mutating func replace(_ former: UInt64, with serial: UInt64, deletedAt moment: UInt64) throws {
        guard let old = try currentOrKept(former), let new = try currentOrKept(serial), old.serial != new.serial,
            old.deletedAt == nil, new.deletedAt == nil
        else { return }
        var before: PhotoRecord?
        try update(at: old.rowNumber) { record in
            before = record
            record.deletedAt = moment
            record.keeping.isReplaced = true
        }
        guard let before else { return }
        try update(at: new.rowNumber) { record in
            let own = record.keeping
            record.keeping = own.joined(by: before.keeping)
            record.keeping.caption = own.caption ?? before.keeping.caption
            // Other pixels may stand upright already, and have been cut.
            record.keeping.rotation = own.rotation
            record.keeping.edit = own.edit
            record.told = record.told ?? before.told
        }
        try moveCovers(from: old.serial, to: new.serial)
    }

    private mutating func changeFile(_ serial: UInt64, _ change: (inout PhotoRecord) -> Void) throws {
        let library = vault.library
        guard let photo = try current(serial, in: library), photo.deletedAt == nil else {
            throw VaultError.noSuchPhoto
        }
        try update(at: photo.rowNumber) { record in
            change(&record)
            let facts = record.facts.map(FactsCoding.decode)
            try Self.note(facts, in: &record, library, now: Self.latestTime(receivedAt: record.receivedAt))
        }
    }
}
