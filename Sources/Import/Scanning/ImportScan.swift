import Glibc
import Media
import Sealing

/// The first look at sources: what is in them, with digests, and what lies beside photos is read. In constant memory but
/// for the list.
package final class ImportScan {
    private static let pieceByteCount = 256 << 10

    package private(set) var files: [ImportFile] = []
    /// The entries of the files, in their order.
    package private(set) var entries: [ImportEntry] = []
    /// Sources that could not be read to their end, and why.
    package private(set) var failures: [(source: Int, reason: String)] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)

    package init() {}

    deinit { buffer.deallocate() }

    /// Blocking.
    /// - Parameter progress: is told how much of this source was read, and of how much.
    package func look(
        at source: ImportSource, number: Int, progress: (UInt64, UInt64) throws -> Void
    ) throws {
        do {
            let reader = try source.open()
            while let entry = try reader.next() {
                entries.append(entry)
                files.append(try file(entry, reader, source, number))
                try progress(reader.consumedByteCount, reader.totalByteCount)
            }
        } catch let error as ImportError {
            // An entry that broke off within was noted with its reason.
            if entries.count > files.count { entries.removeLast() }
            failures.append((number, error.description))
        }
    }

    private func file(
        _ entry: ImportEntry, _ reader: any EntryReader, _ source: ImportSource, _ number: Int
    ) throws -> ImportFile {
        var file = ImportFile(
            source: number, isArchived: source.isArchive, path: entry.path, byteCount: entry.byteCount,
            problem: entry.refusal)
        guard entry.refusal == nil else { return file }
        do {
            var hasher = try SHA256Hasher()
            var (head, text): ([UInt8], [UInt8]) = ([], [])
            let isCandidate =
                SidecarContent.isCandidate(entry.path) && entry.byteCount <= SidecarContent.largestByteCount
            var count: UInt64 = 0
            while true {
                let made = try reader.read(into: buffer)
                guard made > 0 else { break }
                let piece = UnsafeRawBufferPointer(rebasing: buffer[..<made])
                try hasher.update(piece)
                count += UInt64(made)
                if head.count < MediaType.headByteCount { head += piece.prefix(MediaType.headByteCount - head.count) }
                if isCandidate { text += piece }
            }
            file.byteCount = count
            file.digest = try hasher.finalize()
            file.type = MediaType.sniff(head)
            if isCandidate, file.type == .other { file.content = SidecarContent(text, path: entry.path) }
        } catch ImportError.entry(let reason) {
            file.problem = reason
        }
        return file
    }
}
