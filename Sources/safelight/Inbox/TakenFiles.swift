import Bytes
import Glibc
import Import
import Records
import Sealing

/// What was taken from a watched folder and lies there still, so that a restart does not send it again: one mark of 16
/// bytes for each file, a keyed hash of its path, size and time, among random bytes. Neither a name nor a vault can be
/// told from it without the door's code; how many there are, to 256, only as the folder itself tells.
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

    /// By so much the file grows.
    private static let blockByteCount = 4096

    static func folder(dataPath: String) -> String { dataPath + "/inbox" }

    /// Of the file.
    let name: String
    private let folder: String
    private var mac: HMACSHA256
    private var known: Set<Mark> = []
    private var descriptor: CInt = -1
    private var usedByteCount = 0
    private var byteCount = 0

    /// Blocking.
    /// - Parameter path: of the watched folder: each has a file of its own.
    /// - Throws: `SystemError`.
    init(dataPath: String, path: String, door: DoorToken) throws {
        folder = Self.folder(dataPath: dataPath)
        mac = try HMACSHA256(key: try door.inboxKey())
        let digest: [UInt8] = try mac.authenticate(Array("folder\0\(path)".utf8))
        name = Hexadecimal.encode(digest.prefix(16))
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir") }
        try load()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func contains(_ path: SettlingFiles.Path, _ sign: FileSign) throws -> Bool {
        known.contains(try mark(path, sign))
    }

    /// On disk on return.
    func note(_ path: SettlingFiles.Path, _ sign: FileSign) throws {
        let mark = try mark(path, sign)
        guard known.insert(mark).inserted else { return }
        if descriptor < 0 || usedByteCount == byteCount {
            try write(Array(known))
        } else {
            try write(mark.bytes, at: usedByteCount, to: descriptor)
            usedByteCount += Mark.byteCount
        }
    }

    /// Forgets what lies there no more.
    func keep(_ present: [(path: SettlingFiles.Path, sign: FileSign)]) throws {
        let kept = known.intersection(try present.map { try mark($0.path, $0.sign) })
        guard kept.count != known.count else { return }
        known = kept
        try write(Array(kept))
    }

    /// Removes what was remembered of folders that are watched no more.
    static func removeOthers(than names: Set<String>, dataPath: String) {
        guard let stream = opendir(folder(dataPath: dataPath)) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != "..", !names.contains(name) {
                unlink(folder(dataPath: dataPath) + "/" + name)
            }
        }
    }

    private func mark(_ path: SettlingFiles.Path, _ sign: FileSign) throws -> Mark {
        let message = [1] + sign.byteCount.bigEndianBytes + UInt64(bitPattern: sign.modifiedAt).bigEndianBytes + path
        let digest: [UInt8] = try mac.authenticate(message)
        return Mark(digest)
    }

    // MARK: The file

    private var path: String { folder + "/" + name }

    private func load() throws {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            guard errno == ENOENT else { throw SystemError("open") }
            return
        }
        defer { close(file) }
        var block = [UInt8](repeating: 0, count: Self.blockByteCount)
        while true {
            let count = read(file, &block, block.count)
            guard count >= 0 else { throw SystemError("read") }
            guard count > 0 else { return }
            // Random bytes that were never written over are marks of nothing.
            for start in stride(from: 0, to: count - Mark.byteCount + 1, by: Mark.byteCount) {
                known.insert(Mark(block[start..<start + Mark.byteCount]))
            }
        }
    }

    /// Anew, with random bytes behind: it is there as it was or as it will be.
    private func write(_ marks: [Mark]) throws {
        let used = marks.count * Mark.byteCount
        let whole = (used / Self.blockByteCount + 1) * Self.blockByteCount
        let bytes = marks.shuffled().flatMap(\.bytes) + (try randomBytes(whole - used))
        let new = path + ".new"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError("open") }
        do {
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

/// A call of the system that failed.
struct SystemError: Error, CustomStringConvertible {
    let description: String

    init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
}
