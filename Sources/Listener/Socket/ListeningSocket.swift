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
