import Store

extension VaultChange {
    mutating func add(_ batch: BatchRecord) throws {
        let number = takeNumber()
        try put(RowPiece(kind: .batch, payload: batch.encoded), at: number)
        draft.libraryChanges.append(.putBatch(BatchEntry(rowNumber: number, record: batch)))
    }

    /// - Throws: `noSuchBatch`.
    mutating func finish(_ entry: BatchEntry) throws {
        var record = try batch(at: entry)
        record.isFinished = true
        try put(RowPiece(kind: .batch, payload: record.encoded), at: entry.rowNumber)
        draft.libraryChanges.append(.putBatch(BatchEntry(rowNumber: entry.rowNumber, record: record)))
    }

    mutating func remove(_ entry: BatchEntry) throws {
        _ = try batch(at: entry)
        try makeEmpty(entry.rowNumber)
        draft.libraryChanges.append(.removeBatch(entry.record.id))
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
