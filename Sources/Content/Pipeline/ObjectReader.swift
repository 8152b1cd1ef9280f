package import NIOCore
package import Records
package import Sealing
package import Store
import Synchronization

/// Opens ranges of one object file. Blocking.
package final class ObjectReader: Sendable {
    /// Plaintext bytes of one read; chunks at both ends are read whole.
    package static let mostBytesPerRead = 32 * ChunkLayout.chunkByteCount

    /// One sealed message inside the file.
    private struct Run: ~Copyable {
        var opener: ChunkOpener
        /// Where its plaintext begins in the whole content.
        let start: UInt64
        let plaintextByteCount: UInt64
        /// Where its first chunk begins in the file.
        let chunksOffset: UInt64
    }

    /// `@unchecked Sendable`: reached only through the reader's mutex.
    private final class RunBox: @unchecked Sendable {
        var run: Run

        init(_ run: consuming Run) { self.run = run }
    }

    private let file: ObjectFile
    private let runs: Mutex<[RunBox]>

    /// - Parameter allowsMore: for the object of an unfinished upload, which may end with what a crash left.
    /// - Throws: `StoreError.objectMissing`, `VaultError.damaged` when size, preamble or salts are not those of the
    ///   row.
    package init(record: PhotoRecord, fileKey: borrowing SecretBytes, store: Store, allowsMore: Bool = false) throws {
        let file = try store.objects.open(record.object)
        let (present, expected) = (file.byteCount, record.storedByteCount)
        guard present == expected || allowsMore && present > expected else { throw VaultError.damaged }
        let key = try deriveFileKey(.original, from: fileKey)
        var preamble = [UInt8](repeating: 0, count: PhotoRecord.preamble.count)
        try preamble.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            try file.read(into: bytes, at: 0) { bytes in
                guard bytes.elementsEqual(PhotoRecord.preamble) else { throw VaultError.damaged }
            }
        }
        var boxes: [RunBox] = []
        var start: UInt64 = 0
        var offset = UInt64(preamble.count)
        for (index, run) in record.runs.enumerated() {
            var header = [UInt8](repeating: 0, count: ChunkLayout.headerByteCount)
            try header.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
                try file.read(into: bytes, at: offset) { bytes in
                    guard bytes.starts(with: run.salt) else { throw VaultError.damaged }
                }
            }
            let context = SealingContext.original(preamble: preamble, run: UInt32(index))
            let opener = try header.span.withUnsafeBytes { try ChunkOpener(key: key, context: context, header: $0) }
            boxes.append(
                RunBox(
                    Run(
                        opener: opener, start: start, plaintextByteCount: run.plaintextByteCount,
                        chunksOffset: offset + UInt64(ChunkLayout.headerByteCount))))
            start += run.plaintextByteCount
            offset += ChunkLayout.sealedByteCount(plaintext: run.plaintextByteCount)
        }
        self.file = file
        runs = Mutex(boxes)
    }

    /// Lets the kernel forget what it remembers of the file. Advice only.
    package func forgetCached() { file.forgetCached() }

    /// Opens the last chunk of every run: the end mark, and the padding that no range of the content covers.
    /// - Throws: `damaged`.
    package func verifyEnd() throws {
        let chunkSize = UInt64(ChunkLayout.chunkByteCount)
        try runs.withLock { runs in
            for box in runs {
                let count = box.run.plaintextByteCount
                _ = try read(chunks: count / chunkSize...count / chunkSize, of: &box.run)
            }
        }
    }

    /// Verified plaintext of `range`.
    package func read(_ range: Range<UInt64>) throws -> ByteBuffer {
        try runs.withLock { runs in
            var result = ByteBuffer()
            for box in runs {
                let end = box.run.start + box.run.plaintextByteCount
                let part =
                    max(
                        range.lowerBound, box.run.start)..<max(
                        max(range.lowerBound, box.run.start), min(range.upperBound, end))
                guard !part.isEmpty else { continue }
                var plaintext = try read(
                    (part.lowerBound - box.run.start)..<(part.upperBound - box.run.start), of: &box.run)
                if result.readableBytes == 0 { result = plaintext } else { result.writeBuffer(&plaintext) }
            }
            guard result.readableBytes == Int(range.upperBound - range.lowerBound) else { throw VaultError.damaged }
            return result
        }
    }

    /// One read of the chunks that cover `range`, opened where they lie, then moved together.
    private func read(_ range: Range<UInt64>, of run: inout Run) throws -> ByteBuffer {
        let chunkSize = UInt64(ChunkLayout.chunkByteCount)
        let first = range.lowerBound / chunkSize
        let last = (range.upperBound - 1) / chunkSize
        var buffer = try read(chunks: first...last, of: &run)
        buffer.moveReaderIndex(to: Int(range.lowerBound - first * chunkSize))
        buffer.moveWriterIndex(to: buffer.readerIndex + Int(range.upperBound - range.lowerBound))
        return buffer
    }

    private func read(chunks: ClosedRange<UInt64>, of run: inout Run) throws -> ByteBuffer {
        let chunkSize = UInt64(ChunkLayout.chunkByteCount)
        let (first, last) = (chunks.lowerBound, chunks.upperBound)
        let finalChunk = run.plaintextByteCount / chunkSize
        let lastSealed =
            last == finalChunk
            ? Int(run.plaintextByteCount % chunkSize) + ChunkLayout.tagByteCount : ChunkLayout.sealedChunkByteCount
        let sealedCount = Int(last - first) * ChunkLayout.sealedChunkByteCount + lastSealed
        var buffer = ByteBufferAllocator().buffer(capacity: sealedCount)
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: sealedCount) { room in
            let offset = run.chunksOffset + first * UInt64(ChunkLayout.sealedChunkByteCount)
            return try file.read(into: UnsafeMutableRawBufferPointer(rebasing: room[..<sealedCount]), at: offset) {
                sealed in
                var count = 0
                for chunk in first...last {
                    let start = Int(chunk - first) * ChunkLayout.sealedChunkByteCount
                    let size = chunk == last ? lastSealed : ChunkLayout.sealedChunkByteCount
                    let place = UnsafeMutableRawBufferPointer(rebasing: sealed[start..<start + size])
                    let opened = try run.opener.openChunk(place, index: chunk, isLast: chunk == finalChunk)
                    if start > 0 {
                        sealed.baseAddress!.advanced(by: count).copyMemory(from: place.baseAddress!, byteCount: opened)
                    }
                    count += opened
                }
                return count
            }
        }
        return buffer
    }
}

/// When the re-read may go on: at once while nobody has uploaded since it was last quiet; else after a quiet moment; and
/// where uploads never pause, for as long as it waited.
package struct RereadPacing: Sendable {
    package enum Verdict: Equatable {
        case go
        /// Ask again then.
        case wait(Duration)
    }

    /// How long nobody may have uploaded.
    package let quiet: Duration
    /// How long it waits for that.
    package let patience: Duration
    /// Uploads so far, when it was last seen that none runs.
    private var calmAt: UInt64?
    private var waitingSince: ContinuousClock.Instant?
    private var workingUntil: ContinuousClock.Instant?
    /// Its last verdict was to go although uploads run: it has waited for long.
    package private(set) var isOverdue = false

    package init(quiet: Duration, patience: Duration) {
        self.quiet = quiet
        self.patience = patience
    }

    package init(_ limits: VaultLimits) {
        self.init(quiet: limits.quietBeforeReread ?? .zero, patience: limits.patienceBeforeReread)
    }

    /// - Parameters:
    ///   - inFlight: uploads that run.
    ///   - admitted: uploads so far.
    package mutating func verdict(inFlight: Int, admitted: UInt64, now: ContinuousClock.Instant) -> Verdict {
        isOverdue = false
        if inFlight == 0, calmAt == admitted {
            waitingSince = nil
            return .go
        }
        if let workingUntil, now < workingUntil {
            isOverdue = true
            return .go
        }
        let since = waitingSince ?? now
        guard now - since < patience else {
            waitingSince = nil
            workingUntil = now + patience
            isOverdue = true
            return .go
        }
        waitingSince = since
        calmAt = inFlight == 0 ? admitted : nil
        return .wait(quiet)
    }
}
