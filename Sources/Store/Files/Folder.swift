internal import CLinux
internal import COpenSSL
import Glibc

/// An open folder; names are relative to it, so that nothing depends on a path that could be exchanged.
final class Folder: Sendable {
    private let file: OpenFile

    private init(_ file: OpenFile) {
        self.file = file
    }

    var descriptor: Int32 { file.descriptor }

    static func open(path: String) throws(StoreError) -> Folder {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failure("opening \(path)") }
        return Folder(OpenFile(descriptor: descriptor))
    }

    func folder(_ name: String) throws(StoreError) -> Folder {
        let descriptor = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .failure("opening folder \(name)") }
        return Folder(OpenFile(descriptor: descriptor))
    }

    func folderIfPresent(_ name: String) throws(StoreError) -> Folder? {
        try openIfPresent(name, O_RDONLY | O_DIRECTORY).map(Folder.init)
    }

    /// Makes the folder with mode 0700 unless it exists.
    func makeFolder(_ name: String) throws(StoreError) {
        guard mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else { throw .failure("mkdir \(name)") }
    }

    /// New files get mode 0600. A pipe that somebody put in a file's place does not make the caller wait for ever.
    func open(_ name: String, _ flags: Int32) throws(StoreError) -> OpenFile {
        let opened = openat(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { throw .failure("opening \(name)") }
        return OpenFile(descriptor: opened)
    }

    /// Nil when there is no such file.
    func openIfPresent(_ name: String, _ flags: Int32) throws(StoreError) -> OpenFile? {
        do {
            return try open(name, flags)
        } catch .ioFailed(_, ENOENT) {
            return nil
        }
    }

    /// A file without a name, which vanishes unless it is linked.
    func openTemporary() throws(StoreError) -> OpenFile {
        try open(".", O_RDWR | Int32(LINUX_O_TMPFILE))
    }

    func contains(_ name: String) -> Bool {
        faccessat(descriptor, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Not a link to one.
    func isFolder(_ name: String) -> Bool {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    func byteCount(of name: String) throws(StoreError) -> UInt64? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw .failure("stat")
        }
        return UInt64(clamping: status.st_size)
    }

    /// When it, or its name, last changed; nil when there is no such file.
    func changeTime(of name: String) throws(StoreError) -> timespec? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw .failure("stat")
        }
        return status.st_ctim
    }

    /// All names but `.` and `..`, sorted.
    func names() throws(StoreError) -> [String] {
        // A descriptor of its own, because a directory stream shares and moves the position.
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else { throw .failure("listing a folder") }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw .failure("listing a folder") }
        return names.sorted()
    }

    /// False when there was no such file.
    @discardableResult
    func unlink(_ name: String) throws(StoreError) -> Bool {
        if unlinkat(descriptor, name, 0) == 0 { return true }
        guard errno == ENOENT else { throw .failure("unlink") }
        return false
    }

    /// Removes an empty folder.
    func removeFolder(_ name: String) throws(StoreError) {
        guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT else { throw .failure("rmdir") }
    }

    func rename(_ name: String, to newName: String, in folder: Folder? = nil) throws(StoreError) {
        let target = folder?.descriptor ?? descriptor
        guard renameat(descriptor, name, target, newName) == 0 else { throw .failure("rename") }
    }

    /// False when the new name is taken; nothing is replaced then.
    func renameWithoutReplacing(_ name: String, to newName: String, in folder: Folder) throws(StoreError) -> Bool {
        if linux_rename_without_replacing(descriptor, name, folder.descriptor, newName) == 0 { return true }
        guard errno == EEXIST else { throw .failure("rename") }
        return false
    }

    /// Gives a file without a name its name.
    func link(_ temporary: OpenFile, as name: String) throws(StoreError) {
        if linkat(temporary.descriptor, "", descriptor, name, Int32(LINUX_AT_EMPTY_PATH)) == 0 { return }
        // Linux before 6.10 lets only the privileged do that. Any other failure comes here again.
        let source = "/proc/self/fd/\(temporary.descriptor)"
        guard linkat(AT_FDCWD, source, descriptor, name, AT_SYMLINK_FOLLOW) == 0 else { throw .failure("linkat") }
    }

    /// Waits until the names in it are on disk.
    func synchronize() throws(StoreError) {
        try file.synchronize()
    }
}

/// Random bytes from the system, for names, filler and cover rows.
func randomBytes(_ count: Int) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let status = bytes.withUnsafeMutableBufferPointer { RAND_bytes($0.baseAddress, Int32(clamping: $0.count)) }
    guard status == 1 else {
        ERR_clear_error()
        throw .ioFailed(operation: "drawing random bytes", errno: EIO)
    }
    return bytes
}
