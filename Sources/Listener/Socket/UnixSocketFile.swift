import Glibc

/// A socket file that this process made, and removes again if it is still the same one.
package struct UnixSocketFile: Sendable {
    /// sun_path of unix(7) holds 108 bytes, the last one zero.
    private static let mostPathBytes = 107

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
        // Connected, or its queue is full: somebody is there. Only a refusal proves that nobody is.
        guard try connectionError(path) == ECONNREFUSED else {
            throw SocketFailure(reason: "somebody listens there already, or may")
        }
        try check(unlink(path))
    }

    /// False when nobody listens: a file that a killed process left is one that refuses.
    package static func isListenedTo(_ path: String) -> Bool {
        // A full queue is somebody's.
        guard let error = try? connectionError(path) else { return false }
        return error == 0 || error == EAGAIN
    }

    /// That of an attempt that does not wait; 0 when it was connected.
    private static func connectionError(_ path: String) throws(SocketFailure) -> CInt {
        let descriptor = try makeSocket()
        defer { close(descriptor) }
        return try withAddress(of: path) { connect(descriptor, $0, $1) == 0 ? 0 : errno }
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
        guard (1...mostPathBytes).contains(path.utf8.count) else {
            throw SocketFailure(reason: "a path has 1 to \(mostPathBytes) bytes there")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
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
    static var latest: SocketFailure { SocketFailure(number: errno) }

    init(reason: String) { self.reason = reason }

    /// - Parameter number: as `errno` counts
    init(number: CInt) { self.init(reason: String(cString: strerror(number))) }
}
