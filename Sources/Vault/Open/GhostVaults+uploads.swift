import Content
import Records
import Sealing
import Store
import Synchronization

/// Unfinished uploads of ghosts. Some go on and become photos; others stay, and expire as anybody's do.
extension GhostVaults {
    private static let mostUploads = 16
    /// Of those that nobody goes on with, to one in so many nothing came.
    private static let withoutBytes = 8
    /// What the row of one says besides its runs, in bytes, and each of them.
    private static let (payload, payloadOfRun) = (480...620, 35)
    /// What clients send at a time.
    private static let pieceByteCount: UInt64 = 8 << 20

    /// Some of the file comes.
    func beginUpload(of file: PhoneFile) async throws {
        let received = Int.random(in: 0..<Self.withoutBytes) == 0 ? 0 : UInt64.random(in: 0..<file.byteCount)
        let byteCount =
            received == 0 ? 0 : UInt64(PhotoRecord.preamble.count) + ChunkLayout.sealedByteCount(plaintext: received)
        let isTooMuch = state.withLock { state in
            state.uploads.count >= Self.mostUploads
                || byteCount + state.uploadByteCount > byteLimit / 4
        }
        guard !isTooMuch else { return }
        try await makeRoom(for: byteCount)
        let payload = Int.random(in: Self.payload) + Self.payloadOfRun * Int(received / Self.pieceByteCount)
        let body = try randomBytes(MessageCipher.sealedByteCount(UploadRow.plaintextByteCount(payload: payload)))
        let staged = received == 0 ? nil : try await write(byteCount)
        let (row, day) = (RowID.random(), store.firstDay + UploadRecord.days)
        let part = Mutex<ObjectID?>(nil)
        try await store.ledger.commit(
            LedgerChange(object: staged.map { ArrivingObject($0, isWhole: false) }) { transaction, id in
                try transaction.putUpload(row, body: body, part: id, expiresDay: day)
                part.withLock { $0 = id }
            })
        let upload = GhostUpload(
            row: row, part: part.withLock { $0 }, file: file, received: received, byteCount: byteCount)
        state.withLock { $0.uploads.append(upload) }
    }

    /// One that goes on now; mostly none.
    func takeUpload() -> GhostUpload? {
        state.withLock { state in
            guard Int.random(in: 0..<4) == 0, let place = state.uploads.indices.randomElement() else { return nil }
            return state.uploads.remove(at: place)
        }
    }

    /// The rest comes, and it becomes a photo.
    func finish(_ upload: GhostUpload, in vault: OpenVault) async throws {
        let file = upload.file
        guard let part = upload.part else {
            try await makeRoom(for: file.objectByteCount)
            let staged = try await write(file.objectByteCount)
            return try await hold(file, of: file.objectByteCount, in: vault, ArrivingObject(staged)) { change in
                try upload.requireThere(change.transaction)
                return change.object
            }
        }
        let rest = file.byteCount - upload.received
        let padding = ObjectSize.padding(
            ofContent: file.byteCount, lastRunAt: upload.byteCount, runByteCount: rest)
        let more = ChunkLayout.sealedByteCount(plaintext: rest + padding)
        try await makeRoom(for: upload.byteCount + more)
        let staged = try await engine.threads.runIdly { [engine] in
            let staged = try engine.store.objects.resume(part, at: upload.byteCount)
            try Self.append(more, to: staged)
            return staged
        }
        do {
            // As with anybody's that has its name before it is whole.
            try await store.ledger.send(part)
            try await hold(file, of: upload.byteCount + more, in: vault) { change in
                try upload.requireThere(change.transaction)
                return part
            }
        } catch {
            // What the row does not list is cut off; it expires.
            staged.discard()
            throw error
        }
    }

    /// Any of them go, until no more are left.
    func keepUploads(_ count: Int) async throws {
        let gone = state.withLock { state in
            state.uploads.shuffle()
            defer { state.uploads = Array(state.uploads.prefix(count)) }
            return state.uploads.dropFirst(count)
        }
        guard !gone.isEmpty else { return }
        try await store.ledger.commit(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                for upload in gone { try transaction.doomUpload(upload.row) }
            })
        try await engine.threads.runIdly { [store] in try store.reapDoomed() }
    }
}

/// An unfinished upload of a ghost. Its row is random bytes, for nobody goes on with it in a later run.
struct GhostUpload: Sendable {
    let row: RowID
    /// Nil where nothing came.
    let part: ObjectID?
    let file: PhoneFile
    /// Bytes of the content.
    let received: UInt64
    /// Bytes on disk.
    let byteCount: UInt64

    /// Takes the row out, unless the sweep was faster.
    fileprivate func requireThere(_ transaction: LedgerTransaction) throws {
        guard try transaction.containsUpload(row) else { throw VaultError.uploadGone }
        try transaction.deleteUpload(row)
    }
}
