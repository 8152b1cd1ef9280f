import Synchronization

/// Buffers in reserve, so that many small photos do not map and unmap memory for each.
final class SegmentBufferPool: Sendable {
    private struct Spare {
        var small: [SegmentBuffer] = []
        var large: [SegmentBuffer] = []
    }

    private let spare = Mutex(Spare())
    private let limit: Int

    /// - Parameter limit: of buffers of each size that are kept.
    init(limit: Int) { self.limit = limit }

    /// Those in reserve.
    var spareCount: Int { spare.withLock { $0.small.count + $0.large.count } }

    func take(_ size: SegmentSize) -> SegmentBuffer {
        let found = spare.withLock { size == .small ? $0.small.popLast() : $0.large.popLast() }
        return found ?? SegmentBuffer(size)
    }

    /// Takes a buffer back; only ciphertext lies in it once it was sealed, and `reset` lets nothing older be read.
    func giveBack(_ buffer: SegmentBuffer) {
        buffer.reset()
        spare.withLock { spare in
            switch buffer.size {
            case .small: if spare.small.count < limit { spare.small.append(buffer) }
            case .large: if spare.large.count < limit { spare.large.append(buffer) }
            }
        }
    }
}
