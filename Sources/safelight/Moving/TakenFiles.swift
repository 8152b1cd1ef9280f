import Bytes
import Glibc
import Import
import Records
import Sealing

/// What was sent from a drop folder and lies there still, so that the next run does not send it again: for each file keyed
/// hashes of its path, of its size and times, and of its content, among random bytes. Neither a name nor a vault can
/// be told from them without the door's code; how many files there are, to 64, only as the folder itself tells.
///
/// One run at a time has them: whoever has the file locked.
///
/// `@unchecked Sendable`: one thread at a time uses it, which its owner sees to by waiting for each call.
final class TakenFiles: @unchecked Sendable {
    private struct Mark: Hashable {
        static let byteCount = 16

        let first: UInt64
        let second: UInt64

        init(_ bytes: some Collection<UInt8>) {
            func number(_ part: some Collection<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
            (first, second) = (number(bytes.prefix(8)), number(bytes.dropFirst(8).prefix(8)))
        }

        var bytes: [UInt8] { first.bigEndianBytes + second.bigEndianBytes }
    }

    /// What is remembered of one path.
    private struct Entry {
        static let byteCount = 4 * Mark.byteCount

        let path: Mark
        /// By size and times: such a file need not be read again.
        let sign: Mark
        /// By path and content: such a file was stored, whatever its times are.
        let content: [Mark]

        init(path: Mark, sign: Mark, content: [Mark]) {
            (self.path, self.sign, self.content) = (path, sign, content)
        }

        init(_ bytes: ArraySlice<UInt8>) {
            let marks = (0..<4).map { Mark(bytes.dropFirst($0 * Mark.byteCount).prefix(Mark.byteCount)) }
            self.init(path: marks[0], sign: marks[1], content: Array(marks[2...]))
        }

        var bytes: [UInt8] { path.bytes + sign.bytes + content.flatMap(\.bytes) }
    }

    /// By so much the file grows.
    private static let blockByteCount = 4096

    /// Another run over this folder goes on.
    struct InUse: Error {}

    private let folder: String
    private let path: String
    private var mac: HMACSHA256
    private var known: [Mark: Entry] = [:]
    private var descriptor: CInt = -1
    private var usedByteCount = 0
    private var byteCount = 0

    /// Blocking.
    /// - Parameter dropPath: of the drop folder: each has a file of its own.
    /// - Throws: `InUse`, `SystemError`.
    init(dataPath: String, dropPath: String, door: DoorToken) throws {
        folder = dataPath + "/inbox"
        mac = try HMACSHA256(key: try door.inboxKey())
        let digest: [UInt8] = try mac.authenticate(Array("folder\0\(dropPath)".utf8))
        path = "\(folder)/\(Hexadecimal.encode(digest.prefix(16)))"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir") }
        descriptor = try lockedFile()
        try load()
        // A folder from which nothing was sent looks like one from which a few files were.
        if byteCount == 0 { try write([]) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether anything is remembered of this path.
    func knows(_ path: DropFolder.Path) throws -> Bool { try entry(path) != nil }

    /// Whether the file of this path was taken as it stands, as far as its size and its times tell.
    func contains(_ path: DropFolder.Path, _ sign: FileSign) throws -> Bool {
        try entry(path)?.sign == (try mark(of: sign, at: path))
    }

    /// Whether what was taken last from this path was this content.
    /// - Parameter content: its SHA-256.
    func contains(_ path: DropFolder.Path, content: [UInt8]) throws -> Bool {
        try entry(path)?.content == (try marks(of: content, at: path))
    }

    /// On disk on return.
    func note(_ path: DropFolder.Path, _ sign: FileSign, content: [UInt8]) throws {
        let entry = Entry(
            path: try mark(of: path), sign: try mark(of: sign, at: path), content: try marks(of: content, at: path))
        if let former = known.updateValue(entry, forKey: entry.path), former.bytes == entry.bytes { return }
        if usedByteCount == byteCount {
            try write(Array(known.values))
        } else {
            // Of several of one path the last one counts.
            try write(entry.bytes, at: usedByteCount, to: descriptor)
            usedByteCount += Entry.byteCount
        }
    }

    /// As long as nothing else is noted of the path, the next run remembers it once more.
    func forget(_ path: DropFolder.Path) throws { known[try mark(of: path)] = nil }

    /// Forgets what lies there no more, on disk with the next that is noted: a run that finds nothing new writes nothing.
    func keep(_ present: [(path: DropFolder.Path, sign: FileSign)]) throws {
        let paths = Set(try present.map { try mark(of: $0.path) })
        known = known.filter { paths.contains($0.key) }
    }

    private func entry(_ path: DropFolder.Path) throws -> Entry? { known[try mark(of: path)] }

    private func mark(of path: DropFolder.Path) throws -> Mark { Mark(try hash([2] + path)) }

    /// With the path, as the following: two files that are alike are not to be told from the marks.
    private func mark(of sign: FileSign, at path: DropFolder.Path) throws -> Mark {
        let times = [sign.modifiedAt, sign.changedAt].flatMap { UInt64(bitPattern: $0).bigEndianBytes }
        return Mark(try hash([3] + sign.byteCount.bigEndianBytes + times + path))
    }

    private func marks(of content: [UInt8], at path: DropFolder.Path) throws -> [Mark] {
        let hash = try hash([4] + content + path)
        return [Mark(hash.prefix(Mark.byteCount)), Mark(hash.dropFirst(Mark.byteCount))]
    }

    private func hash(_ message: [UInt8]) throws -> [UInt8] { try mac.authenticate(message) }

    // MARK: The file

    private func lockedFile() throws -> CInt {
        while true {
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else { throw SystemError("open") }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                let isInUse = errno == EWOULDBLOCK
                close(file)
                throw isInUse ? InUse() : SystemError("flock")
            }
            var (own, present) = (stat(), stat())
            if fstat(file, &own) == 0, stat(path, &present) == 0, own.st_ino == present.st_ino { return file }
            // Whoever had it locked has put another one in its place.
            close(file)
        }
    }

    private func load() throws {
        var block = [UInt8](repeating: 0, count: Self.blockByteCount)
        while true {
            let count = pread(descriptor, &block, block.count, off_t(byteCount))
            guard count >= 0 else { throw SystemError("read") }
            guard count > 0 else { break }
            byteCount += count
            // Random bytes that were never written over are of no path.
            for start in stride(from: 0, to: count - Entry.byteCount + 1, by: Entry.byteCount) {
                let entry = Entry(block[start..<start + Entry.byteCount])
                known[entry.path] = entry
            }
        }
        // Where the last one stands nobody can tell from random bytes: the first that is noted writes all of them anew.
        usedByteCount = byteCount
    }

    /// Anew, with random bytes behind: it is there as it was or as it will be.
    private func write(_ entries: [Entry]) throws {
        let used = entries.count * Entry.byteCount
        let whole = (used / Self.blockByteCount + 1) * Self.blockByteCount
        let bytes = entries.shuffled().flatMap(\.bytes) + (try randomBytes(whole - used))
        let new = path + ".new"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError("open") }
        do {
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("flock") }
            try write(bytes, at: 0, to: file)
            guard rename(new, path) == 0 else { throw SystemError("rename") }
            try synchronizeFolder()
        } catch {
            close(file)
            throw error
        }
        if descriptor >= 0 { close(descriptor) }
        (descriptor, usedByteCount, byteCount) = (file, used, whole)
    }

    private func write(_ bytes: [UInt8], at offset: Int, to file: CInt) throws {
        let count = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(offset)) }
        guard count == bytes.count, fdatasync(file) == 0 else { throw SystemError("write") }
    }

    private func synchronizeFolder() throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("open") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
    }
}
