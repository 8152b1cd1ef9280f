package import Bytes
package import NIOCore

/// Where to listen.
package enum Endpoint: Sendable, Equatable {
    /// An address in numbers, or a name; `::` takes IPv4 too. Port 0 takes any free one.
    case tcp(host: String, port: Int)
    /// A socket file for the daemon's user, and for members of its group unless it is private.
    case unix(path: String, isPrivate: Bool = false)
    /// A socket that somebody else has bound: TCP or unix.
    case inherited(descriptor: CInt)
}

extension IPAddress {
    /// Nil for unix sockets.
    package init?(_ address: SocketAddress) {
        // Behind family and port (4 bytes); for IPv6 also behind the flow label (4).
        let range: Range<Int>
        switch address {
        case .v4: range = 4..<8
        case .v6: range = 8..<24
        case .unixDomainSocket: return nil
        }
        let bytes = address.withSockAddr { start, count in
            range.upperBound <= count ? Array(UnsafeRawBufferPointer(start: start, count: count)[range]) : []
        }
        self.init(bytes: bytes)
    }
}

package enum ListenerError: Error, Equatable {
    /// The connection, or the client's direction of it, ended within a request's body.
    case bodyEndedEarly
    /// The endpoint cannot be listened on. The reason is for the owner of the host.
    case cannotListen(Endpoint, reason: String)
    /// The listening socket failed later on.
    case stoppedListening(Endpoint)
}

extension ListenerError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .bodyEndedEarly: "the connection ended within a request's body"
        case .cannotListen(let endpoint, let reason): "cannot listen on \(endpoint): \(reason)"
        case .stoppedListening(let endpoint): "the socket of \(endpoint) failed"
        }
    }
}

extension Endpoint: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path, _): "unix:\(path)"
        case .inherited(let descriptor): "inherited socket \(descriptor)"
        }
    }
}
