package import Imaging
package import ImagingProtocol
package import Media
import NIOCore
package import Records
package import Sealing
package import Store
import Synchronization

/// A photo's content for whoever looks into it, until it is let go of: then its keys are gone, whoever still holds this.
package final class PhotoSource: ImagingSource {
    package let byteCount: UInt64
    private let threads: SealingThreads
    private let isAwaited: Bool
    private let reader: Mutex<ObjectReader?>

    package init(_ reader: ObjectReader, byteCount: UInt64, threads: SealingThreads, isAwaited: Bool) {
        self.reader = Mutex(reader)
        self.byteCount = byteCount
        self.threads = threads
        self.isAwaited = isAwaited
    }

    /// Every chunk is verified before a byte of it leaves.
    /// - Throws: `damaged`, `sessionEnded` once it was let go of.
    package func read(at offset: UInt64, count: Int) async throws -> [UInt8] {
        guard offset < byteCount, count > 0 else { return [] }
        let end = min(byteCount, clampedSum(offset, UInt64(count)))
        return try await threads.readObject(isAwaited: isAwaited) { [self] in
            guard let reader = reader.withLock({ $0 }) else { throw VaultError.sessionEnded }
            return Array(try reader.read(offset..<end).readableBytesView)
        }
    }

    /// A read that runs is the last one.
    package func letGo() {
        let last = reader.withLock { reader in
            defer { reader = nil }
            return reader
        }
        last?.forgetCached()
    }
}

/// Who finds out what a file says about itself and how it looks. The daemon's is a `PictureStudio`.
package protocol PictureMaker: Sendable {
    /// - Throws: `unavailable` also when the task is cancelled.
    /// - Parameters:
    ///   - owner: the vault or guest whose file it is.
    ///   - requester: with whom it shares the turns.
    ///   - isAwaited: somebody waits for it; what nobody waits for may be `displaced` by it.
    func look(
        into source: any ImagingSource, as type: MediaType, of owner: [UInt8], for requester: PictureRequester,
        isAwaited: Bool
    ) async throws(ImagingError) -> Examination

    /// How far a picture is from being no more than a copy of another one. Somebody waits for it.
    /// - Throws: as `look`, but `unreadable`.
    func compare(
        _ copy: (source: any ImagingSource, type: MediaType), with best: (source: any ImagingSource, type: MediaType),
        of owner: [UInt8], for requester: PictureRequester
    ) async throws(ImagingError) -> PictureDifference

    /// What is written in a picture of this host's making. Nobody waits for it.
    /// - Throws: as `look`.
    func words(
        in picture: [UInt8], as type: MediaType, of owner: [UInt8], for requester: PictureRequester
    ) async throws(ImagingError) -> PictureWords

    /// Whether words are read at all, as far as it is known.
    var readsWords: Bool { get async }

    /// Their keys are wiped: nothing of their files is to be remembered.
    func forget(_ owner: [UInt8])
}

extension PictureStudio: PictureMaker {
    package func look(
        into source: any ImagingSource, as type: MediaType, of owner: [UInt8], for requester: PictureRequester,
        isAwaited: Bool
    ) async throws(ImagingError) -> Examination {
        try await examine(source, as: type, of: owner, for: requester, isAwaited: isAwaited)
    }

    package func compare(
        _ copy: (source: any ImagingSource, type: MediaType), with best: (source: any ImagingSource, type: MediaType),
        of owner: [UInt8], for requester: PictureRequester
    ) async throws(ImagingError) -> PictureDifference {
        try await compare(copy, with: best, of: owner, for: requester, isAwaited: true)
    }
}

/// Who makes pictures, and how many at the same time for one vault.
package struct PictureMaking: Sendable {
    package var maker: any PictureMaker
    package var workerCount: Int
    /// False while pictures cannot be made, for want of the program.
    package var isAvailable: @Sendable () async -> Bool

    package init(
        maker: any PictureMaker, workerCount: Int = 1, isAvailable: @escaping @Sendable () async -> Bool = { true }
    ) {
        self.maker = maker
        self.workerCount = max(1, workerCount)
        self.isAvailable = isAvailable
    }
}

/// The beginning of a content that passes by: most photos say all about themselves in it.
struct FirstBytes: ByteSource {
    private struct NotHeld: Error {}

    private let bytes: [UInt8]
    /// Without an end where more follows: to ask for that fails.
    let byteCount: UInt64

    /// - Parameter isWhole: nothing follows.
    init(_ segment: SegmentBuffer, isWhole: Bool) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(segment.plaintextByteCount)
        segment.forEachContent { bytes += $0 }
        self.bytes = bytes
        byteCount = isWhole ? UInt64(bytes.count) : UInt64(Int64.max)
    }

    func read(at offset: UInt64, count: Int) throws -> [UInt8] {
        guard offset < UInt64(bytes.count), UInt64(count) <= UInt64(bytes.count) - offset else { throw NotHeld() }
        return [UInt8](bytes[Int(offset)..<Int(offset) + count])
    }

    /// Nil where the beginning does not tell all.
    func facts(_ type: MediaType) -> MediaFacts? { try? MediaFacts(reading: self, type: type) }
}

/// The content of an object that is on disk. Blocking.
package struct ObjectBytes: ByteSource {
    package let reader: ObjectReader
    package let byteCount: UInt64

    package init(reader: ObjectReader, byteCount: UInt64) {
        self.reader = reader
        self.byteCount = byteCount
    }

    /// Of a photo whose bytes are all on disk, whether or not its row is.
    package init(of record: PhotoRecord, fileKey: SharedSecret, _ store: Store) throws {
        self.init(
            reader: try ObjectReader(record: record, fileKey: fileKey.bytes, store: store), byteCount: record.byteCount)
    }

    package func read(at offset: UInt64, count: Int) throws -> [UInt8] {
        let end = min(byteCount, clampedSum(offset, UInt64(count)))
        guard offset < end else { return [] }
        return Array(try reader.read(offset..<end).readableBytesView)
    }

    /// Of a photo whose bytes are all on disk, whether or not its row is; nil where they cannot be read now, which is no
    /// reason to refuse it: whoever makes its pictures looks again.
    package static func facts(of record: PhotoRecord, fileKey: SharedSecret, _ store: Store) -> MediaFacts? {
        guard let source = try? ObjectBytes(of: record, fileKey: fileKey, store) else { return nil }
        return try? MediaFacts(reading: source, type: MediaType(mimeType: record.type))
    }

    /// What it is, and what it says about itself.
    /// - Parameter now: until when a time can be true, in milliseconds
    package func typeAndFacts(now: Int64) throws -> (type: MediaType, facts: MediaFacts) {
        let type = MediaType.sniff(try read(at: 0, count: MediaType.headByteCount))
        return (type, try MediaFacts(reading: self, type: type, now: now))
    }
}
