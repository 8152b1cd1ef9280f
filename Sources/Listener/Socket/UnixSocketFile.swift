import Glibc

/// A socket file that this process made, and removes again if it is still the same one.
struct UnixSocketFile: Sendable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Makes the file and a socket that listens on it. A file that a dead process left is replaced.
    /// - Parameter isPrivate: whether members of the daemon's group are kept out, too
    /// - Throws: `SocketFailure`
    static func listen(
        path: String, isPrivate: Bool, backlog: CInt
    ) throws(SocketFailure) -> (file: UnixSocketFile, descriptor: CInt) {
        let mode: mode_t = isPrivate ? 0o600 : 0o660
        try removeStale(path)
        let descriptor = try makeSocket()
        do {
            // Before it has a name: on Linux the file takes the socket's mode, within the umask.
            try check(fchmod(descriptor, mode))
            try check(withAddress(of: path) { bind(descriptor, $0, $1) })
            try check(chmod(path, mode))
            try check(Glibc.listen(descriptor, backlog))
            var status = stat()
            try check(lstat(path, &status))
            return (UnixSocketFile(path: path, device: status.st_dev, inode: status.st_ino), descriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
        unlink(path)
    }

    private static func removeStale(_ path: String) throws(SocketFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SocketFailure(reason: "there is something else of this name")
        }
        let descriptor = try makeSocket()
        defer { close(descriptor) }
        let isRefused = try withAddress(of: path) { connect(descriptor, $0, $1) != 0 && errno == ECONNREFUSED }
        // Connected, or its queue is full: somebody is there. Only a refusal proves that nobody is.
        guard isRefused else { throw SocketFailure(reason: "somebody listens there already, or may") }
        try check(unlink(path))
    }

    private static func makeSocket() throws(SocketFailure) -> CInt {
        let flags = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        return try check(socket(AF_UNIX, flags, 0))
    }

    private static func withAddress<Result>(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(SocketFailure) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isShortEnough = withUnsafeMutableBytes(of: &address.sun_path) { field in
            // One byte stays zero behind it.
            guard path.utf8.count < field.count else { return false }
            field.copyBytes(from: path.utf8)
            return true
        }
        guard isShortEnough, !path.isEmpty else { throw SocketFailure(reason: "a path has 1 to 107 bytes there") }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    @discardableResult
    private static func check(_ result: CInt) throws(SocketFailure) -> CInt {
        guard result >= 0 else { throw SocketFailure.latest }
        return result
    }
}

/// Why a socket cannot be listened on, for the owner of the host.
struct SocketFailure: Error {
    let reason: String

    /// By `errno`.
    static var latest: SocketFailure { SocketFailure(reason: String(cString: strerror(errno))) }
}
