package import Records
import Store

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
