import Sealing
import Store
import Synchronization

/// Room for one batch of an upload: a prefix for what stands before the chunks (the object's preamble and the run's
/// header), then plaintext laid out so that each chunk is sealed where it lies, 16 bytes of room behind each. It lies
/// in memory as it will lie in the blocks of the file.
///
/// `@unchecked Sendable`: a buffer belongs to one upload at a time, and there either to the task that fills it or to
/// the step that seals it, writes it and gives it back; the task never touches it again.
package final class SegmentBuffer: @unchecked Sendable {
    private static let prefixCapacity = 64

    let size: SegmentSize

    private let memory: UnsafeMutableRawBufferPointer
    /// Plaintext bytes filled in so far.
    private(set) var plaintextByteCount = 0
    /// Zeros among them, which pad the content.
    private var paddingByteCount = 0
    /// Where the prefix begins in its block of the file.
    private var prefixStart = 0
    private var chunksStart = 0

    init(_ size: SegmentSize) {
        self.size = size
        memory = .allocate(
            byteCount: StagedObject.blockByteCount + Self.prefixCapacity
                + size.chunkCount * ChunkLayout.sealedChunkByteCount,
            alignment: StagedObject.blockByteCount)
    }

    deinit {
        cleanse(memory)
        memory.deallocate()
    }

    var isFull: Bool { room == 0 }
    var room: Int { size.plaintextByteCount - plaintextByteCount }

    func reset() {
        plaintextByteCount = 0
        paddingByteCount = 0
    }

    /// Comes before everything else.
    /// - Parameters:
    ///   - position: in the object, of the first byte that will be written.
    ///   - prefixByteCount: of the prefix that sealing sets, at most 64.
    func begin(at position: UInt64, prefixByteCount: Int) {
        precondition(plaintextByteCount == 0 && prefixByteCount <= Self.prefixCapacity)
        prefixStart = Int(position % UInt64(StagedObject.blockByteCount))
        chunksStart = prefixStart + prefixByteCount
    }

    /// As long as it was said to be.
    func setPrefix(_ bytes: [UInt8]) {
        precondition(bytes.count == chunksStart - prefixStart)
        UnsafeMutableRawBufferPointer(rebasing: memory[prefixStart..<chunksStart]).copyBytes(from: bytes)
    }

    /// Copies as much as there is room for.
    /// - Returns: bytes taken.
    func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        fill(min(bytes.count, room)) { place, done in
            place.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[done..<done + place.count]))
        }
    }

    /// - Returns: zeros appended, at most `count`.
    func appendZeros(_ count: UInt64) -> Int {
        let count = fill(Int(clamping: min(count, UInt64(room)))) { place, _ in
            place.initializeMemory(as: UInt8.self, repeating: 0)
        }
        paddingByteCount += count
        return count
    }

    /// The content in the buffer, chunk by chunk, without padding and before it is sealed.
    func forEachContent(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        let end = plaintextByteCount - paddingByteCount
        for position in stride(from: 0, to: end, by: ChunkLayout.chunkByteCount) {
            let start = offset(ofPlaintext: position)
            let count = min(ChunkLayout.chunkByteCount, end - position)
            try body(UnsafeRawBufferPointer(rebasing: memory[start..<start + count]))
        }
    }

    /// Goes through the places of the next plaintext bytes, chunk by chunk; `body` gets each, and how many bytes came
    /// before it.
    /// - Returns: `count`, which there is room for.
    private func fill(_ count: Int, _ body: (UnsafeMutableRawBufferPointer, Int) -> Void) -> Int {
        var done = 0
        while done < count {
            let inChunk = plaintextByteCount % ChunkLayout.chunkByteCount
            let part = min(count - done, ChunkLayout.chunkByteCount - inChunk)
            let start = offset(ofPlaintext: plaintextByteCount)
            body(UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + part]), done)
            done += part
            plaintextByteCount += part
        }
        return count
    }

    /// The first bytes of the content in the buffer, at most one chunk, before it is sealed.
    func firstBytes(_ count: Int) -> [UInt8] {
        let count = min(count, plaintextByteCount - paddingByteCount, ChunkLayout.chunkByteCount)
        return Array(memory[chunksStart..<chunksStart + count])
    }

    /// The full chunks, for sealing in place.
    var fullChunks: UnsafeMutableRawBufferPointer {
        let count = plaintextByteCount / ChunkLayout.chunkByteCount * ChunkLayout.sealedChunkByteCount
        return UnsafeMutableRawBufferPointer(rebasing: memory[chunksStart..<chunksStart + count])
    }

    /// The room of the chunk behind the full ones, and how much plaintext lies in it.
    var lastChunk: (room: UnsafeMutableRawBufferPointer, plaintextByteCount: Int) {
        let start = chunksStart + fullChunks.count
        return (
            UnsafeMutableRawBufferPointer(rebasing: memory[start...]), plaintextByteCount % ChunkLayout.chunkByteCount
        )
    }

    /// What a full segment takes in the object.
    var storedByteCount: UInt64 { UInt64(chunksStart - prefixStart + fullChunks.count) }

    /// From the block on in which the segment begins: the prefix and the sealed bytes behind it, from `start` on.
    func sealed(_ sealedByteCount: Int) -> (blocks: UnsafeMutableRawBufferPointer, start: Int) {
        (UnsafeMutableRawBufferPointer(rebasing: memory[..<(chunksStart + sealedByteCount)]), prefixStart)
    }

    private func offset(ofPlaintext position: Int) -> Int {
        chunksStart + position / ChunkLayout.chunkByteCount * ChunkLayout.sealedChunkByteCount
            + position % ChunkLayout.chunkByteCount
    }
}

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
