package import Media
package import Records
package import Sealing
package import Store
import Synchronization

/// Seals segments, in order, into an object: run after run, each a message of its own under a salt drawn for it.
/// Blocking.
///
/// `@unchecked Sendable`: the steps of its pipeline are sealed one after the other, and written one after the other;
/// what writes touches only the object and its promise, and what seals does not. The pipeline asks for what sealing left
/// behind only when the last step is sealed, and for what writing left behind when it is written.
package final class SealingLane: @unchecked Sendable {
    /// Where in an object to go on.
    package struct Start: Sendable {
        package var fileKey: SharedSecret
        /// Nil for an object that has no name yet.
        package var object: ObjectID?
        /// Those that are durable.
        package var runs: [PhotoRecord.Run] = []

        package init(fileKey: SharedSecret, object: ObjectID? = nil, runs: [PhotoRecord.Run] = []) {
            self.fileKey = fileKey
            self.object = object
            self.runs = runs
        }
    }

    package let fileKey: SharedSecret
    package private(set) var staged: StagedObject
    private let store: Store
    private let reservation: SpaceReservation?
    private var hashing: ContentHashing
    private var runNumber: Int
    private var run: RunSealer?
    private var segmentsSinceCheck = 0
    /// Of the content's first bytes, and how many those were; nil when they came with an earlier request.
    private var first: (facts: UploadRecord.Facts, byteCount: UInt64)?
    /// What the content says about itself, where its beginning tells all of it; nil where more has to be read.
    package var mediaFacts: MediaFacts? { understood.withLock { $0 } }
    /// Asked for also while a step seals.
    private let understood = Mutex<MediaFacts?>(nil)

    /// Segments between two looks at the free space.
    private static let segmentsPerCheck = 16

    /// - Throws: `StoreError.degraded`, `diskFull`; for an object with a name also `objectMissing`, `objectUnreadable`.
    package init(
        store: Store, start: Start, hashing: ContentHashing = ContentHashing(), reservation: SpaceReservation? = nil
    )
        throws
    {
        self.store = store
        self.hashing = hashing
        self.reservation = reservation
        fileKey = start.fileKey
        runNumber = start.runs.count
        staged =
            try start.object.map { try store.objects.resume($0, at: start.runs.storedByteCount) }
            ?? store.objects.stage()
    }

    /// A full segment: more of the run follows.
    /// - Returns: what writes it.
    package func seal(_ segment: SegmentBuffer) throws -> @Sendable () throws -> Void {
        let run = try begin(segment, isLast: false)
        try checkRoom(for: segment)
        let sealedByteCount = segment.fullChunks.count
        try run.sealer.sealFullChunks(in: segment.fullChunks)
        return { [self] in try write(segment, sealedByteCount) }
    }

    /// The last segment of a run, which is not full.
    /// - Parameter isEnd: the content ends with it.
    /// - Returns: the run, and what writes the segment and then syncs everything, once.
    package func closeRun(_ segment: SegmentBuffer, isEnd: Bool) throws -> (
        PhotoRecord.Run, @Sendable () throws -> Void
    ) {
        let run = try begin(segment, isLast: isEnd)
        let chunks = segment.fullChunks
        if chunks.count > 0 { try run.sealer.sealFullChunks(in: chunks) }
        let last = segment.lastChunk
        let count = try run.sealer.sealLastChunk(in: last.room, plaintextByteCount: last.plaintextByteCount)
        let sealedByteCount = chunks.count + count
        self.run = nil
        runNumber += 1
        let closed = PhotoRecord.Run(plaintextByteCount: run.plaintextByteCount, salt: run.sealer.salt)
        return (
            closed,
            { [self] in
                try write(segment, sealedByteCount)
                try staged.synchronize()
            }
        )
    }

    /// The ledger lists what was written so far, under the name that the file got by that. Blocking.
    package func goOn(in object: ObjectID) throws {
        staged = try store.objects.resume(object, at: staged.byteCount)
    }

    /// Bytes before the chunks of the next run.
    var prefixByteCount: Int { preambleByteCount + ChunkLayout.headerByteCount }

    /// Where in the object the next run begins, when what came before is written.
    var runStart: UInt64 { staged.byteCount + UInt64(preambleByteCount) }

    private var preambleByteCount: Int { runNumber == 0 ? PhotoRecord.preamble.count : 0 }

    /// Type and digest of the first part, if the content begins here and enough of it came.
    package func facts(ofContent byteCount: UInt64) -> UploadRecord.Facts? {
        guard let first, first.byteCount >= min(byteCount, UInt64(MediaType.headByteCount)) else { return nil }
        return first.facts
    }

    /// What was asked for is not asked for again.
    package func takeDigest() throws -> [UInt8]? { try hashing.take() }

    private func begin(_ segment: SegmentBuffer, isLast: Bool) throws -> RunSealer {
        if let run {
            try take(segment, into: run)
            return run
        }
        let run = try RunSealer(fileKey: fileKey, number: UInt32(clamping: runNumber))
        self.run = run
        var prefix = run.sealer.header
        if runNumber == 0 {
            prefix = PhotoRecord.preamble + prefix
            let firstBytes = segment.firstBytes(MediaType.headByteCount)
            let facts = try UploadRecord.Facts(firstBytes)
            first = (facts, UInt64(firstBytes.count))
            let told = FirstBytes(segment, isWhole: isLast).facts(MediaType(mimeType: facts.type))
            understood.withLock { $0 = told }
            try hashing.begin(facts.firstPartDigest)
        }
        try take(segment, into: run)
        segment.setPrefix(prefix)
        return run
    }

    private func take(_ segment: SegmentBuffer, into run: RunSealer) throws {
        run.plaintextByteCount += UInt64(segment.plaintextByteCount)
        try hashing.update(segment)
    }

    private func write(_ segment: SegmentBuffer, _ sealedByteCount: Int) throws {
        let sealed = segment.sealed(sealedByteCount)
        try staged.write(sealed.blocks, from: sealed.start)
        reservation?.note(written: staged.byteCount)
        segment.reset()
    }

    /// Uploads without a declared length, and many at once, must not eat the reserve.
    private func checkRoom(for segment: SegmentBuffer) throws {
        segmentsSinceCheck += 1
        guard segmentsSinceCheck >= Self.segmentsPerCheck else { return }
        segmentsSinceCheck = 0
        try store.reserve.requireRoom(for: UInt64(segment.plaintextByteCount))
    }
}

/// One run being sealed.
final class RunSealer {
    var sealer: ChunkSealer
    /// Padding included.
    var plaintextByteCount: UInt64 = 0

    init(fileKey: SharedSecret, number: UInt32) throws {
        sealer = try ChunkSealer(
            key: try deriveFileKey(.original, from: fileKey.bytes),
            context: .original(preamble: PhotoRecord.preamble, run: number))
    }
}

extension UploadRecord.Facts {
    /// - Parameter first: the first 4 KiB of the content, or all of it.
    package init(_ first: [UInt8]) throws {
        self.init(type: MediaType.sniff(first).mimeType, firstPartDigest: try SHA256Hasher.hash(first))
    }
}
