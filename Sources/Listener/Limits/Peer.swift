package import Bytes
package import NIOCore

/// Who is at the other end of a connection, as far as limits are concerned.
package enum Peer: Hashable, Sendable {
    /// This host: by loopback, by a socket file, or by one of its own addresses.
    case host
    /// Another host. What one limit is held for: an IPv4 address, the /64 of an IPv6 address from elsewhere, since every
    /// household has a whole one, and an IPv6 address alone where it shares our own /64 or link with all devices of this
    /// household.
    case stranger(IPNetwork)

    /// Tells by the addresses of both ends. A connection without them is already gone; it counts as a stranger's.
    package static func classify(remote: SocketAddress?, local: SocketAddress?) -> Peer {
        if case .unixDomainSocket = local { return .host }
        guard let peer = remote.flatMap({ IPAddress($0) }) else { return .stranger(.household(of: .unspecified)) }
        let ours = local.flatMap { IPAddress($0) }
        // The kernel takes no packet from outside that claims to come from an address of this host.
        if peer.isLoopback || peer == ours { return .host }
        return .stranger(peer.sharesLink(with: ours) ? IPNetwork(peer) : .household(of: peer))
    }
}

extension IPAddress {
    /// Link-local IPv6, or both IPv6 and of one /64: where each device has addresses of its own.
    package func sharesLink(with other: IPAddress?) -> Bool {
        guard !isIPv4 else { return false }
        return isLinkLocal || other.map { !$0.isIPv4 && $0.high == high } ?? false
    }
}
