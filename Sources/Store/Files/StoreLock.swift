import Glibc

/// One daemon at a time: `flock` on the file `lock`, which ends with its holder. The pid written into the file is for
/// people; nothing decides by it. The file always has the same size.
final class StoreLock: Sendable {
    private static let textByteCount = 32
    private let file: OpenFile

    private init(_ file: OpenFile) {
        self.file = file
    }

    /// Takes the lock at once or throws `inUse`. Nothing is written.
    static func acquire(in folder: Folder) throws(StoreError) -> StoreLock {
        try acquire(folder.open(StoreLayout.lock, O_RDWR | O_CREAT))
    }

    /// Without making the file: nil when it does not exist, so that looking at a directory changes nothing.
    static func acquireIfPresent(in folder: Folder) throws(StoreError) -> StoreLock? {
        guard let file = try folder.openIfPresent(StoreLayout.lock, O_RDONLY) else { return nil }
        return try acquire(file)
    }

    private static func acquire(_ file: OpenFile) throws(StoreError) -> StoreLock {
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw .failure("flock") }
            throw .inUse(pid: holder(try file.bytes(at: 0, count: textByteCount)))
        }
        return StoreLock(file)
    }

    private static func holder(_ text: [UInt8]) -> Int32? {
        Int32(String(decoding: text.prefix { $0 != 0x0A && $0 != 0x20 }, as: UTF8.self))
    }

    /// Tells a second daemon's user who holds the lock. A full disk may have no room even for that, and nothing decides
    /// by it.
    func writeHolder() {
        try? write(String(getpid()))
    }

    private func write(_ text: String) throws(StoreError) {
        let padding = [UInt8](repeating: 0x20, count: Self.textByteCount - 1 - text.utf8.count)
        try file.write(Array(text.utf8) + padding + [0x0A], at: 0)
    }

    func release() {
        try? write("")
        flock(file.descriptor, LOCK_UN)
    }
}
