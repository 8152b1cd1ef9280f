package import Hummingbird
import NIOCore
package import Vaults

/// A request's surroundings: the connection it came by.
package struct WebContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The connection's two ends.
    package let remote: ClientAddress
    package let local: ClientAddress
    /// Whether the connection is encrypted.
    package let isSecure: Bool
    let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        remote = ClientAddress(source.channel.remoteAddress)
        local = ClientAddress(source.channel.localAddress)
        isSecure = false
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
