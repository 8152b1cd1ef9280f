package import Content
package import Records
package import Sealing
import Store
import Synchronization

/// Puts all rows of a vault under another key, inside one transaction. What they say and their numbers stay; their ids
/// and bytes are new. Objects are not touched, for they are sealed under keys of their own.
struct KeyRotation: ~Copyable {
    private let transaction: LedgerTransaction
    private let next: VaultKeys
    private var old: RowCodec
    private var new: RowCodec

    init(of vault: OpenVault, to next: VaultKeys, in transaction: LedgerTransaction) throws {
        let old = try vault.makeCodec()
        let new = try next.makeCodec()
        self.transaction = transaction
        self.next = next
        self.old = old
        self.new = new
    }

    /// Leaves nothing under the old key but, in place of the head, a row that holds the new key: until the slots are
    /// written they lead there.
    /// - Throws: `damaged` when a row is missing, or is not the one that the head knows: a loss that nobody has
    ///   accepted must not be made right in passing. Nothing of it counts then.
    mutating func run(_ head: inout VaultHead, _ uploads: [UnfinishedUpload]) throws {
        head.accumulator = try moveRows(head)
        for upload in uploads { try move(upload) }
        let formerHead = try old.id(of: .head)
        head.formerHead = formerHead
        head.generation += 1
        let id = try new.id(of: .head)
        try transaction.putRow(id, try new.seal(RowPiece(kind: .head, payload: head.encoded), id: id))
        let key = SharedSecret(try next.vaultKey.duplicate())
        try transaction.putRow(formerHead, try old.seal(.successor, id: formerHead, fileKey: key))
    }

    private mutating func moveRows(_ head: VaultHead) throws -> SetAccumulator {
        var (before, after) = (SetAccumulator(), SetAccumulator())
        for (number, id) in try Self.inTableOrder(head.rowCount, &new) {
            let former = try old.id(of: .item(number))
            guard let body = try transaction.row(former) else { throw VaultError.damaged }
            let moved = try old.reseal(body, id: former, under: &new, as: id)
            before.add(try body.withUnsafeBytes { try old.element(id: former, body: $0) })
            after.add(try moved.withUnsafeBytes { try new.element(id: id, body: $0) })
            try transaction.putRow(id, moved)
        }
        guard before == head.accumulator else { throw VaultError.damaged }
        for (_, id) in try Self.inTableOrder(head.rowCount, &old) { try transaction.deleteRow(id) }
        return after
    }

    /// The table keeps its rows by their ids: in any other order each would touch a page of its own, and the log would
    /// grow by as many.
    private static func inTableOrder(_ count: UInt64, _ codec: inout RowCodec) throws -> [(number: UInt64, id: RowID)] {
        var rows: [(number: UInt64, id: RowID)] = []
        rows.reserveCapacity(Int(clamping: count))
        for number in 0..<count { rows.append((number, try codec.id(of: .item(number)))) }
        return rows.sorted { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
    }

    /// Its id stays, so whoever sends it goes on.
    private mutating func move(_ upload: UnfinishedUpload) throws {
        let id = upload.rowID
        guard let row = try transaction.upload(id), let (record, fileKey) = try open(row.body, id) else { return }
        let body = try new.sealUpload(record, fileKey: fileKey, id: id)
        try transaction.putUpload(id, body: body, part: row.part, expiresDay: row.expiresDay)
    }

    /// Nil for one that was damaged on disk: it cannot go on under either key, and must not be in the way.
    private mutating func open(_ body: [UInt8], _ id: RowID) throws -> (UploadRecord, SharedSecret)? {
        do {
            return try body.withUnsafeBytes { try old.openUpload($0, id: id) }
        } catch SealingError.damaged, VaultError.damaged {
            return nil
        }
    }
}

extension OpenVault {
    /// Blocking. Draws another key and puts all rows under it; takes out every way in but one, and every session that
    /// outlives the daemon. One transaction: whoever opens the vault, by slots that hold either key, finds all or
    /// nothing of it done. Sessions, uploads and reads go on.
    /// - Parameters:
    ///   - standing: the slots of the way that stays.
    ///   - slots: those of the others, to be overwritten.
    /// - Throws: `damaged` when rows are not as the head knows them.
    package func rotateBlocking(
        keeping way: WayID, _ standing: SlotSet, wiping slots: [(position: UInt32, hash: [UInt8])]
    ) throws {
        let next = try VaultKeys(try SecretBytes(random: 32), home: home)
        state.withLock { $0.isRotating = true }
        defer { state.withLock { $0.isRotating = false } }
        try requireWriting()
        // Alone: what comes after it in the same transaction would be sealed under the old key.
        try store.ledger.commitBlocking(
            LedgerChange(participants: [self], runsAlone: true) { [self] transaction, _ in
                try requireWriting()
                var change = VaultChange(transaction: transaction, object: nil, vault: self, draft: draft)
                try change.keepOnly(way, standing)
                var rotation = try KeyRotation(of: self, to: next, in: transaction)
                try rotation.run(&change.draft.head, uploads.all)
                for slot in slots { try transaction.addWipe(position: slot.position, hash: slot.hash) }
                state.withLock { state in
                    state.tentative = change.draft
                    state.tentativeKeys = next
                }
            })
    }

    package func hasKey(_ key: borrowing SecretBytes) -> Bool { keys.vaultKey.equals(key) }

    /// Reads rows elsewhere than on the writer's thread. A rotation that commits meanwhile takes them away under their
    /// old ids; then they are read once more.
    func followingRotation<R>(_ read: () throws -> R) throws -> R {
        let before = keys
        do {
            return try read()
        } catch {
            // Memory follows the commit on the writer's thread.
            if state.withLock({ $0.isRotating }) {
                try store.ledger.commitBlocking(LedgerChange(mayUseReserve: true) { _, _ in })
            }
            guard keys !== before else { throw error }
            return try read()
        }
    }
}

extension VaultChange {
    /// Takes out all ways but one, and all sessions that outlive the daemon.
    fileprivate mutating func keepOnly(_ way: WayID, _ standing: SlotSet) throws {
        for other in draft.ways where other.id != way { try removeWay(other.id) }
        if way != .first { draft.head.slotSets = [] }
        try changeSlotSets(of: way) { $0 = [standing] }
        try forgetSessions { _ in true }
    }

    /// Slots lead to the new key now. The head goes on naming the row's place until no copy of the ledger has it.
    package mutating func removeSuccessor() throws {
        if let former = draft.head.formerHead { try transaction.deleteRow(former) }
    }
}

/// Content of many runs on its way into a new object of one run, under a new file key.
package final class Resealing {
    /// Who reads.
    package enum Urgency: Sendable {
        /// A request waits for it.
        case request
        case idle
    }

    package var lane: SealingLane { pipeline.lane }
    private let reader: ObjectReader
    private let byteCount: UInt64
    private let urgency: Urgency
    private let engine: UploadEngine
    private let pipeline: SealingPipeline
    private var offset: UInt64 = 0

    /// - Throws: `diskFull` when there is no room for both.
    package init(_ reader: ObjectReader, byteCount: UInt64, engine: UploadEngine, _ urgency: Urgency) async throws {
        self.reader = reader
        self.byteCount = byteCount
        self.engine = engine
        self.urgency = urgency
        let lane = try await engine.threads.run { [store = engine.store, room = engine.reservations] in
            let (needed, overflow) = ObjectSize.ofOneRun(content: byteCount)
                .addingReportingOverflow(room.byteCount)
            try store.reserve.requireRoom(for: overflow ? .max : needed)
            return try SealingLane(
                store: store, start: SealingLane.Start(fileKey: SharedSecret(try SecretBytes(random: 32))))
        }
        pipeline = SealingPipeline(
            lane: lane, threads: engine.threads, session: FairSemaphore.Visitor(ObjectIdentifier(engine)))
    }

    /// A part of bounded size.
    /// - Returns: whether there is more to do.
    package func step() async throws -> Bool {
        let (start, end) = (offset, min(byteCount, offset + UInt64(ObjectReader.mostBytesPerRead)))
        guard start < end else { return false }
        let read = { @Sendable [reader] in try reader.read(start..<end) }
        try await pipeline.append(try await urgency == .idle ? engine.threads.runIdly(read) : engine.threads.run(read))
        offset = end
        return true
    }

    /// - Parameter isWhole: whether nothing will follow.
    /// - Returns: the new object's run; it is on disk.
    package func close(isWhole: Bool) async throws -> PhotoRecord.Run {
        try await pipeline.closeRun(endOf: isWhole ? byteCount : nil)
    }

    package func discard() async { await pipeline.discard() }
}

extension VaultChange {
    /// Gives a photo the object that this change publishes.
    package mutating func replaceObject(of photo: LibraryPhoto, run: PhotoRecord.Run, fileKey: SharedSecret) throws {
        guard let object, let present = try current(photo.serial, in: vault.library), present.object == photo.object
        else { throw VaultError.noSuchPhoto }
        try replaceObject(at: present, by: object, [run], fileKey: fileKey)
        try transaction.addObject(object)
    }

    /// Puts an object that the ledger lists in place of a photo's own. Its pictures are made anew, for under the old key
    /// nobody would find them.
    mutating func replaceObject(
        at present: LibraryPhoto, by object: ObjectID, _ runs: [PhotoRecord.Run], fileKey: SharedSecret
    ) throws {
        try transaction.doomPreviews(OpenVault.previewIDs(vault.fileKey(of: chain(from: present.rowNumber))))
        var difference: (old: UInt64, new: UInt64) = (0, 0)
        try update(at: present.rowNumber, fileKey: fileKey) { record in
            difference.old = record.storedByteCount
            record.object = object
            record.runs = runs
            record.verifiedAt = nil
            record.picture = nil
            difference.new = record.storedByteCount
        }
        let stored = draft.head.storedByteCount
        draft.head.storedByteCount = stored - min(stored, difference.old) + difference.new
        try transaction.doomObject(present.object)
    }
}
