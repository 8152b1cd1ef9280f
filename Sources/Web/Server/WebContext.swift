package import Hummingbird
package import Logging
package import NIOCore
package import Vaults

/// A request's surroundings: the connection it came by.
package struct WebContext: RequestContext {
    package typealias Source = Connection

    package var coreContext: CoreRequestContextStorage
    /// The connection's two ends.
    package let remote: ClientAddress
    package let local: ClientAddress
    /// Whether the connection is encrypted.
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

        /// - Parameter isSecure: whether the bytes of the request came through TLS
        init(_ channel: any Channel, isSecure: Bool, logger: Logger) {
            let local = ClientAddress(channel.localAddress)
            // Peers of a unix socket mostly have no name; the socket's own end says what it is.
            let remote = local == .unixSocket ? local : ClientAddress(channel.remoteAddress)
            self.init(channel: channel, remote: remote, local: local, isSecure: isSecure, logger: logger)
        }
    }
}

extension ClientAddress {
    /// A peer that is gone before its address was asked for counts as a stranger, never as this host.
    private static let unknown = ClientAddress.ipv6([UInt8](repeating: 0, count: 16))

    init(_ address: SocketAddress?) {
        if case .unixDomainSocket = address {
            self = .unixSocket
        } else {
            let text = address?.ipAddress ?? ""
            self = (ClientAddress(ipv4: text) ?? ClientAddress(ipv6: text))?.unmapped ?? .unknown
        }
    }
}
