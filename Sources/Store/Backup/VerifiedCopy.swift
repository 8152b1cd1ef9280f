import Glibc

/// Copies a file and reads back what was written before it gets its name, so that a file under its name is whole, on
/// disk, and what the source was. One copy at a time.
package final class VerifiedCopy {
    /// The bytes that came back are not those that were written, or none came back.
    package struct Mismatch: Error, CustomStringConvertible {
        package var description: String {
            "What was written did not come back from the disk as it was: the disk is failing."
        }
    }
    /// The source cannot be read.
    struct SourceUnreadable: Error {}

    struct Result {
        let digest: FileDigest
        let byteCount: UInt64
    }

    private let root: Folder
    private let incoming: String
    private let buffer: UnsafeMutableRawBufferPointer

    /// - Parameters:
    ///   - root: where a copy is written before it is moved to its place, on the same file system.
    ///   - worker: those that copy into one root at the same time have different numbers.
    init(root: Folder, worker: Int = 0, pieceByteCount: Int = 1 << 20) {
        self.root = root
        incoming = BackupLayout.incoming(worker)
        buffer = .allocate(byteCount: pieceByteCount, alignment: 4096)
    }

    deinit {
        buffer.deallocate()
    }

    /// The folder still has to be synced. A file of that name is replaced.
    /// - Parameters:
    ///   - expected: what it has to be, where that is known; who lies elsewhere is asked again for anything else
    ///   - keepsOther: whether something else is better than nothing, and does not count as unreadable
    func copy(
        _ source: some ByteSource, expecting expected: FileDigest? = nil, keepsOther: Bool = false, to name: String,
        in folder: Folder
    ) throws -> Result {
        try root.unlink(incoming)
        let target = try root.open(incoming, O_RDWR | O_CREAT | O_EXCL)
        do {
            let file = source as? OpenFile
            if let file { posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_SEQUENTIAL) }
            let written = try readable(source, expecting: expected) {
                try target.truncate(to: 0)
                return try digest(of: $0) { try target.write($0, at: $1) }
            }
            guard keepsOther || expected == nil || expected == written.digest else { throw SourceUnreadable() }
            try target.synchronize()
            // Past what the kernel remembers, where the file system lets go of it.
            target.forgetCached()
            file?.forgetCached()
            guard try readBack(target) == written.digest else { throw Mismatch() }
            // File systems of other worlds keep times as they like.
            try? ObjectFolders.hideTime(of: target)
            try root.rename(incoming, to: name, in: folder)
            return written
        } catch {
            _ = try? root.unlink(incoming)
            throw error
        }
    }

    /// Of what was written here; no fault of a source. Throws `Mismatch` when it cannot be read.
    func readBack(_ target: OpenFile) throws -> FileDigest {
        do {
            return try digest(of: target).digest
        } catch is SourceUnreadable {
            throw Mismatch()
        }
    }

    /// What is read of a source, which lies elsewhere perhaps and is asked again then: also where it was not there at all,
    /// since something names it. Throws `SourceUnreadable` when it never was.
    /// - Parameter expected: nil where nobody knows what it has to be
    func readable(
        _ source: some ByteSource, expecting expected: FileDigest?, _ read: (any ByteSource) throws -> Result
    ) throws -> Result {
        let found = try source.askingAgain { (source) -> Result? in
            do { return try read(source) } catch is SourceUnreadable { return nil }
        } until: { found in
            found.map { expected == nil || $0.digest == expected } ?? false
        }
        guard let found else { throw SourceUnreadable() }
        return found
    }

    /// Reads to the end. Throws `SourceUnreadable`, what `each` throws for a piece and its offset, and what a place
    /// elsewhere says that cannot be reached: nobody knows then what is there.
    func digest(
        of file: some ByteSource, each: (UnsafeRawBufferPointer, UInt64) throws -> Void = { _, _ in }
    ) throws -> Result {
        let found = try Source(base: file).digest(by: buffer, each: each)
        guard let digest = FileDigest(bytes: found.sha256) else { throw Mismatch() }
        return Result(digest: digest, byteCount: found.byteCount)
    }

    /// What fails in reading it is told apart from what fails in writing the copy.
    private struct Source<Base: ByteSource>: ByteSource {
        let base: Base

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
            do { return try base.read(into: buffer, at: offset) } catch is StoreError { throw SourceUnreadable() }
        }
    }
}
