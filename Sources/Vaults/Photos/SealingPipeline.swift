import NIOCore
import Store

/// Bytes on their way to the disk: copied once, into a segment, sealed there, and written, while the next segment
/// fills. Memory is two segments, whatever the size. One user at a time.
final class SealingPipeline {
    let lane: SealingLane
    private let engine: UploadEngine
    /// Whose upload it is, for the fair use of the places to seal in.
    private let session: ObjectIdentifier
    /// Nil until bytes are there: an upload that only waits costs no memory.
    private var filling: SegmentBuffer?
    private var fillingSince = ContinuousClock.now
    private var size = SegmentSize.small
    private var sealing: StartedWork<SegmentBuffer>?
    /// The first thing that went wrong. It stays: bytes may be missing from the run since.
    private var failure: (any Error)?

    init(lane: SealingLane, engine: UploadEngine, session: ObjectIdentifier) {
        self.lane = lane
        self.engine = engine
        self.session = session
    }

    /// Takes all bytes; waits while the disk is behind.
    func append(_ bytes: ByteBuffer) async throws {
        try await sticking { try await take(bytes) }
    }

    /// Ends the run, behind so many zeros; what it holds is on disk then.
    func closeRun(padding: UInt64) async throws -> PhotoRecord.Run {
        try await sticking { try await close(padding) }
    }

    private func sticking<R>(_ step: () async throws -> R) async throws -> R {
        if let failure { throw failure }
        do {
            return try await step()
        } catch {
            failure = error
            throw error
        }
    }

    private func take(_ bytes: ByteBuffer) async throws {
        var rest = bytes
        while rest.readableBytes > 0 {
            let segment = segment()
            let taken = rest.withUnsafeReadableBytes { segment.append($0) }
            rest.moveReaderIndex(forwardBy: taken)
            if segment.isFull { try await flush(segment) }
        }
    }

    private func close(_ padding: UInt64) async throws -> PhotoRecord.Run {
        var padding = padding
        while padding > 0 {
            let segment = segment()
            padding -= UInt64(segment.appendZeros(padding))
            if segment.isFull { try await flush(segment) }
        }
        try await settle()
        let last = segment()
        filling = nil
        let run = try await engine.run(for: session) { [lane] in try lane.closeRun(last) }
        engine.buffers.giveBack(last)
        return run
    }

    /// Drops what is not listed.
    func discard() async {
        await stop()
        await engine.finish { [lane] in lane.staged.discard() }
    }

    /// Writes nothing more and leaves the object as it is.
    func release() async {
        await stop()
        await engine.finish { [lane] in lane.staged.release() }
    }

    private func stop() async {
        _ = try? await sealing?.value()
        sealing = nil
        filling = nil
    }

    private func segment() -> SegmentBuffer {
        if let filling { return filling }
        let taken = engine.buffers.take(size)
        filling = taken
        fillingSince = .now
        return taken
    }

    /// Hands the full segment to the pool and goes on with another one.
    private func flush(_ full: SegmentBuffer) async throws {
        size = full.size.next(afterFillingIn: .now - fillingSince)
        filling = nil
        try await settle()
        sealing = await engine.start(for: session) { [lane] in
            try lane.seal(full)
            return full
        }
    }

    /// Waits for the segment that is being sealed, and gives its buffer back.
    private func settle() async throws {
        guard let running = sealing else { return }
        sealing = nil
        do { engine.buffers.giveBack(try await running.value()) } catch { throw VaultError(error) }
    }
}
