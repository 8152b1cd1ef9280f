internal import CLinux
import Glibc
import NIOCore
import NIOPosix

/// Opens what an `Endpoint` names.
struct ListeningSocket {
    let channel: any Channel
    /// To be removed when the socket is closed.
    let file: UnixSocketFile?

    /// Connections that the kernel keeps for us until they are accepted; it takes less where `somaxconn` is less.
    private static let backlog: CInt = 1024

    /// - Parameter bootstrap: with everything but the address
    /// - Throws: `ListenerError.cannotListen`
    static func open(_ endpoint: Endpoint, with bootstrap: ServerBootstrap) async throws -> ListeningSocket {
        do {
            switch endpoint {
            case .tcp(let host, let port):
                return try await openTCP(host: host, port: port, with: bootstrap)
            case .unix(let path, let isPrivate):
                let (file, descriptor) = try UnixSocketFile.listen(path: path, isPrivate: isPrivate, backlog: backlog)
                return ListeningSocket(channel: try await bootstrap.withBoundSocket(descriptor).get(), file: file)
            case .inherited(let descriptor):
                try InheritedDescriptor.prepare(descriptor)
                return ListeningSocket(channel: try await bootstrap.withBoundSocket(descriptor).get(), file: nil)
            }
        } catch let failure as SocketFailure {
            throw ListenerError.cannotListen(endpoint, reason: failure.reason)
        } catch let error as IOError {
            throw ListenerError.cannotListen(endpoint, reason: SocketFailure(number: error.errnoCode).reason)
        } catch {
            throw ListenerError.cannotListen(endpoint, reason: "\(error)")
        }
    }

    private static func openTCP(
        host: String, port: Int, with bootstrap: ServerBootstrap
    ) async throws -> ListeningSocket {
        // Asks a name server where the host is a name.
        let address = try await NIOThreadPool.singleton.runIfActive {
            try SocketAddress.makeAddressResolvingHost(host, port: port)
        }
        var bootstrap =
            bootstrap
            .serverChannelOption(.backlog, value: backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        if case .v6 = address {
            // `::` takes IPv4 too, whatever the system's default is.
            bootstrap = bootstrap.serverChannelOption(
                ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only), value: 0)
        }
        return ListeningSocket(channel: try await bootstrap.bind(to: address).get(), file: nil)
    }
}

/// A listening socket that was open before this process began.
enum InheritedDescriptor {
    /// Looks before NIO does, which ends the process over a descriptor that is none.
    /// - Throws: `SocketFailure` when it is no stream socket of a family that we serve
    static func prepare(_ descriptor: CInt) throws(SocketFailure) {
        guard fcntl(descriptor, F_GETFD) >= 0 else { throw SocketFailure(reason: "it is not open") }
        guard try option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue) else {
            throw SocketFailure(reason: "it is no stream socket")
        }
        guard [AF_INET, AF_INET6, AF_UNIX].contains(try option(SO_DOMAIN, of: descriptor)) else {
            throw SocketFailure(reason: "it is neither TCP nor a socket file")
        }
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0 else { throw SocketFailure.latest }
    }

    private static func option(_ name: CInt, of descriptor: CInt) throws(SocketFailure) -> CInt {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 else { throw SocketFailure.latest }
        return value
    }
}

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

/// The threads that all connections are served by.
package enum ConnectionThreads {
    /// Nanoseconds: about what one of them needs for what it finds when it wakes. Threads that compute take milliseconds.
    static let slice: UInt64 = 400_000

    /// Lets them in sooner than those that compute longer at a time: whoever sends waits for them. Advice only: some
    /// kernels do not know it, and a service manager may forbid it.
    static func becomePrompt() {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            loop.execute { linux_set_slice(slice) }
        }
    }

    /// Returns when each of them has come to do something asked of it now.
    /// - Throws: when they have been shut down
    package static func touch() async throws {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            try await loop.submit {}.get()
        }
    }
}
