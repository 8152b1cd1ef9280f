package import Content
package import Records
package import Sealing
import Store

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
