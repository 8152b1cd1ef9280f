import Glibc

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
