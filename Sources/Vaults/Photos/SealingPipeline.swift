import NIOCore
import Store

/// Bytes on their way to the disk: copied once, into a segment, sealed there, and written, while the next segment
/// fills; where nobody else waits to seal, one is written, one sealed, and one waits behind them. Memory is four
/// segments, whatever the size. One user at a time.
final class SealingPipeline {
    let lane: SealingLane
    private let engine: UploadEngine
    private let steps: SealingSteps
    /// Nil until bytes are there: an upload that only waits costs no memory.
    private var filling: SegmentBuffer?
    private var fillingSince = ContinuousClock.now
    private var size = SegmentSize.small
    /// Where in the object the segment begins that fills, or the next one.
    private var position: UInt64
    private var isRunBegun = false
    /// Segments that are sealed and written, or wait for that, the oldest first; a buffer is given back as soon as it
    /// was written, whether or not more bytes come.
    private var sealing: [StartedWork<Void>] = []
    /// The first thing that went wrong. It stays: bytes may be missing from the run since.
    private var failure: (any Error)?

    init(lane: SealingLane, engine: UploadEngine, session: ObjectIdentifier) {
        self.lane = lane
        self.engine = engine
        steps = engine.sealingSteps(for: session)
        position = lane.staged.byteCount
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
        let last = segment()
        filling = nil
        let closing = try await begin { [lane, engine] in
            let write = try lane.closeRun(last)
            return {
                let run = try write()
                engine.buffers.giveBack(last)
                return run
            }
        }
        // What goes wrong before the last step fails that, too.
        await stop()
        let run = try await steps.value(of: closing)
        position = lane.staged.byteCount
        isRunBegun = false
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
        filling = nil
        while !sealing.isEmpty { try? await settleOldest() }
    }

    private func segment() -> SegmentBuffer {
        if let filling { return filling }
        let taken = engine.buffers.take(size)
        taken.begin(at: position, prefixByteCount: isRunBegun ? 0 : lane.prefixByteCount)
        filling = taken
        fillingSince = .now
        return taken
    }

    /// Hands the full segment to the threads and goes on with another one.
    private func flush(_ full: SegmentBuffer) async throws {
        size = full.size.next(afterFillingIn: .now - fillingSince)
        position += full.storedByteCount
        isRunBegun = true
        filling = nil
        let work = try await begin { [lane, engine] in
            let write = try lane.seal(full)
            return {
                try write()
                engine.buffers.giveBack(full)
            }
        }
        sealing.append(work)
    }

    /// Hands over a step once there is a place behind the others.
    private func begin<R: Sendable>(
        _ step: @escaping @Sendable () throws -> @Sendable () throws -> R
    ) async throws -> StartedWork<R> {
        while sealing.count >= (steps.isContended ? 1 : SealingSteps.most) { try await settleOldest() }
        return await steps.add(step)
    }

    /// Waits for the segment that was handed over first.
    private func settleOldest() async throws { try await steps.value(of: sealing.removeFirst()) }
}
