import Glibc
package import Imaging
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
    private let unpacker: Unpacker
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)

    package init(_ unpacker: Unpacker) { self.unpacker = unpacker }

    deinit { buffer.deallocate() }

    /// Blocking.
    /// - Parameter progress: is told how much of this source was read, and of how much.
    package func look(
        at source: ImportSource, number: Int, progress: (UInt64, UInt64) throws -> Void
    ) throws {
        let first = files.count
        do {
            let reader = try source.open(unpacker)
            var places: [String: Int] = [:]
            while let entry = try reader.next() {
                entries.append(entry)
                if let target = entry.target, entry.refusal == nil {
                    files.append(again(entry, places[target], source, number))
                } else {
                    files.append(try file(entry, reader, source, number))
                    if case .tar = source.kind { places[entry.path] = files.count - 1 }
                }
                try progress(reader.consumedByteCount, reader.totalByteCount)
            }
        } catch let error as ImportError {
            if entries.count > files.count, let entry = entries.last {
                // The one in which it broke off keeps its place: the next source's files are counted from there.
                files.append(
                    ImportFile(
                        source: number, isFromArchive: source.isArchive, path: entry.path, byteCount: entry.byteCount,
                        problem: error.description))
            }
            failures.append((number, error.description))
        }
        // What is named as an archive, and is none that can be read, may hold photos.
        for index in first..<files.count where files[index].problem == nil && !files[index].isMedia {
            guard ImportSource.isArchiveName(files[index].name) else { continue }
            files[index].problem =
                ImportSource.isPart(files[index].name) ? ImportSource.cutArchive : ImportSource.unreadArchive
        }
    }

    private func again(_ entry: ImportEntry, _ place: Int?, _ source: ImportSource, _ number: Int) -> ImportFile {
        guard let place else {
            return ImportFile(
                source: number, isFromArchive: source.isArchive, path: entry.path, byteCount: 0,
                problem: "it is a link to what is not in the archive")
        }
        var file = files[place]
        file.path = entry.path
        return file
    }

    private func file(
        _ entry: ImportEntry, _ reader: any EntryReader, _ source: ImportSource, _ number: Int
    ) throws -> ImportFile {
        var file = ImportFile(
            source: number, isFromArchive: source.isArchive, path: entry.path, byteCount: entry.byteCount,
            problem: entry.refusal)
        file.isPathGuessed = entry.isPathGuessed
        guard entry.refusal == nil else { return file }
        do {
            var hasher = try SHA256Hasher()
            var (head, text): ([UInt8], [UInt8]) = ([], [])
            var isCandidate =
                SidecarContent.isCandidate(entry.path) && entry.byteCount <= SidecarContent.largestByteCount
            var count: UInt64 = 0
            while true {
                let made = try reader.read(into: buffer)
                guard made > 0 else { break }
                let piece = UnsafeRawBufferPointer(rebasing: buffer[..<made])
                try hasher.update(piece)
                count += UInt64(made)
                if head.count < MediaType.headByteCount { head += piece.prefix(MediaType.headByteCount - head.count) }
                // A picture needs no ending, and may be large.
                if text.isEmpty, MediaType.sniff(head) != .other { isCandidate = false }
                if isCandidate { text += piece }
            }
            file.byteCount = count
            file.digest = try hasher.finalize()
            file.type = MediaType.sniff(head)
            if file.type == .other {
                file.content =
                    isCandidate
                    ? SidecarContent(text, path: entry.path) : SidecarContent(tooLarge: entry.path, head: head)
            }
        } catch ImportError.entry(let reason) {
            file.problem = reason
        }
        return file
    }
}
