import Sealing

/// How much of an upload is sealed at once. A fast one takes large segments, for speed; a slow one stays with small
/// ones, so that hundreds of slow uploads cost little memory.
package enum SegmentSize: Sendable {
    case small
    case large

    /// Filling a segment takes longer: the sender is slow.
    private static let slowFill: Duration = .milliseconds(250)

    package var chunkCount: Int { self == .small ? 6 : 32 }
    package var plaintextByteCount: Int { chunkCount * ChunkLayout.chunkByteCount }

    /// The size of the next segment.
    package func next(afterFillingIn duration: Duration) -> SegmentSize {
        switch self {
        case .small: duration < Self.slowFill ? .large : .small
        // It has more than five times the bytes, and five times the time.
        case .large: duration < Self.slowFill * 5 ? .large : .small
        }
    }
}
