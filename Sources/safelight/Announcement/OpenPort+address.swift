import Discovery
import NIOCore

extension OpenPort {
    /// From the address that a socket is bound to; nil for socket files, which have no port.
    init?(_ bound: SocketAddress) {
        guard let host = bound.ipAddress, let port = bound.port else { return nil }
        switch host {
        case "0.0.0.0": self.init(scope: .everyAddress(withIPv6: false), port: port)
        case "::": self.init(scope: .everyAddress(withIPv6: true), port: port)
        case "::1": self.init(scope: .thisHost, port: port)
        case _ where host.hasPrefix("127."): self.init(scope: .thisHost, port: port)
        default: self.init(scope: .one(host.contains(":") ? "[\(host)]" : host), port: port)
        }
    }
}
