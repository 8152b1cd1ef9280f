import Sealing
import Store

/// Seals an upload's segments, in order, into its staged object. Blocking.
///
/// `@unchecked Sendable`: its upload starts one pool job at a time and awaits it before it starts the next.
final class SealingLane: @unchecked Sendable {
    let staged: StagedObject
    let fileKey: SharedSecret
    private let reserve: DiskReserve
    private var sealer: ChunkSealer
    private var isBegun = false
    private var segmentsSinceCheck = 0
    /// What the content is; known once the first segment was sealed.
    private(set) var type = MediaType.unknown
    private(set) var firstPartDigest: [UInt8]?
    let salt: [UInt8]

    /// Segments (512 KiB) between two looks at the free space.
    private static let segmentsPerCheck = 16

    init(store: Store) throws {
        try store.condition.requireSound()
        staged = try store.objects.stage()
        reserve = store.reserve
        let key = try SecretBytes(random: 32)
        sealer = try ChunkSealer(
            key: try deriveFileKey(.original, from: key), context: .original(preamble: PhotoRecord.preamble, run: 0))
        salt = sealer.salt
        fileKey = SharedSecret(key)
    }

    /// A full segment: more follow.
    func seal(_ segment: SegmentBuffer) throws {
        try begin(segment)
        try checkRoom()
        let chunks = segment.fullChunks
        try sealer.sealFullChunks(in: chunks)
        try staged.write(segment.sealed(chunks.count))
        segment.reset()
    }

    /// The last segment, which is not full; then everything is synced, once.
    func sealLast(_ segment: SegmentBuffer) throws {
        try begin(segment)
        let chunks = segment.fullChunks
        if chunks.count > 0 { try sealer.sealFullChunks(in: chunks) }
        let last = segment.lastChunk
        let count = try sealer.sealLastChunk(in: last.room, plaintextByteCount: last.plaintextByteCount)
        try staged.write(segment.sealed(chunks.count + count))
        segment.reset()
        try staged.synchronize()
    }

    private func begin(_ segment: SegmentBuffer) throws {
        guard !isBegun else { return }
        isBegun = true
        let first = segment.firstBytes(MediaType.prefixByteCount)
        type = MediaType.sniff(first)
        firstPartDigest = try SHA256Hasher.hash(first)
        segment.setPrefix(PhotoRecord.preamble + sealer.header)
    }

    /// Uploads without a declared length, and many at once, must not eat the reserve.
    private func checkRoom() throws {
        segmentsSinceCheck += 1
        guard segmentsSinceCheck >= Self.segmentsPerCheck else { return }
        segmentsSinceCheck = 0
        try reserve.requireRoom(for: UInt64(SegmentBuffer.plaintextCapacity))
    }
}
