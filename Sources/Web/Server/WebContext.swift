package import Hummingbird
package import Logging
package import NIOCore
package import Vaults

/// A request's surroundings: the connection it came by.
package struct WebContext: RequestContext {
    package typealias Source = Connection

    package var coreContext: CoreRequestContextStorage
    /// Who asks: the connection's other end, or whom a trusted proxy there has seen.
    package let remote: ClientAddress
    /// This end of the connection.
    package let local: ClientAddress
    /// Whether what the client sends is encrypted.
    package let isSecure: Bool
    let channel: any Channel

    package init(source: Connection) {
        coreContext = .init(source: source)
        channel = source.channel
        remote = source.remote
        local = source.local
        isSecure = source.isSecure
    }

    /// The other end is a program on this very host.
    var isLocalPeer: Bool { remote.isLoopback }
}

extension WebContext {
    /// What a request's surroundings are made of.
    package struct Connection: RequestContextSource {
        package let channel: any Channel
        package let remote: ClientAddress
        package let local: ClientAddress
        package let isSecure: Bool
        package let logger: Logger

        package init(
            channel: any Channel, remote: ClientAddress, local: ClientAddress, isSecure: Bool, logger: Logger
        ) {
            self.channel = channel
            self.remote = remote
            self.local = local
            self.isSecure = isSecure
            self.logger = logger
        }

        /// - Parameter proxies: whose word about the client is believed
        init(_ channel: any Channel, request: Request, proxies: TrustedProxies, logger: Logger) {
            let local = ClientAddress(channel.localAddress)
            // Peers of a unix socket mostly have no name; the socket's own end says what it is.
            let remote = local == .unixSocket ? local : ClientAddress(channel.remoteAddress)
            // The listener writes the scheme down from the connection's first byte, whatever the target says.
            let sight = proxies.sight(
                peer: remote, isSecure: request.head.scheme == "https",
                forwardedFor: request.headers[values: .xForwardedFor],
                forwardedProtocol: request.headers[values: .xForwardedProto])
            self.init(channel: channel, remote: sight.client, local: local, isSecure: sight.isSecure, logger: logger)
        }
    }
}

extension ClientAddress {
    /// A peer that is gone before its address was asked for counts as a stranger, never as this host.
    static let unknown = ClientAddress.ipv6([UInt8](repeating: 0, count: 16))

    init(_ address: SocketAddress?) {
        switch address {
        case .unixDomainSocket: self = .unixSocket
        // Behind family and port (4 bytes); for IPv6 also behind the flow label (4).
        case .v4: self = address?.bytes(4..<8).map { .ipv4($0) } ?? .unknown
        case .v6: self = address?.bytes(8..<24).map { ClientAddress.ipv6($0).unmapped } ?? .unknown
        case nil: self = .unknown
        }
    }
}

extension SocketAddress {
    fileprivate func bytes(_ range: Range<Int>) -> [UInt8]? {
        withSockAddr { start, count in
            range.upperBound <= count ? Array(UnsafeRawBufferPointer(start: start, count: count)[range]) : nil
        }
    }
}
