package import NIOCore

/// Who is at the other end of a connection, as far as limits are concerned.
package enum Peer: Hashable, Sendable {
    /// This host: by loopback, by a socket file, or by one of its own addresses.
    case host
    /// Another host.
    case stranger(Network)

    /// What one limit is held for: an IPv4 address, the /64 of an IPv6 address from elsewhere, since every household has
    /// a whole one, and an IPv6 address alone where it shares our own /64 or link with all devices of this household.
    package struct Network: Hashable, Sendable {
        private let high: UInt64
        private let low: UInt64
        private let isIPv4: Bool

        package init(ipv4 address: UInt32) {
            (high, low, isIPv4) = (0, UInt64(address), true)
        }

        package init(ipv6Prefix prefix: UInt64) {
            (high, low, isIPv4) = (prefix, 0, false)
        }

        fileprivate init(neighbour high: UInt64, _ low: UInt64) {
            (self.high, self.low, isIPv4) = (high, low, false)
        }
    }

    /// Tells by the addresses of both ends. A connection without them is already gone; it counts as a stranger's.
    package static func classify(remote: SocketAddress?, local: SocketAddress?) -> Peer {
        if case .unixDomainSocket = local { return .host }
        guard let peer = Address(remote) else { return .stranger(Network(ipv6Prefix: 0)) }
        let ours = Address(local)
        // The kernel takes no packet from outside that claims to come from an address of this host.
        return peer.isLoopback || peer == ours ? .host : .stranger(peer.network(seenFrom: ours))
    }

    private enum Address: Equatable {
        case ipv4(UInt32)
        case ipv6(high: UInt64, low: UInt64)

        init?(_ address: SocketAddress?) {
            switch address {
            case .v4(let ipv4): self = .ipv4(ipv4.bytes(at: 4))
            case .v6(let ipv6): self.init(high: ipv6.bytes(at: 8), low: ipv6.bytes(at: 16))
            default: return nil
            }
        }

        /// IPv4 within IPv6 (`::ffff:a.b.c.d`) is IPv4.
        private init(high: UInt64, low: UInt64) {
            let isMapped = high == 0 && low >> 32 == 0xffff
            self = isMapped ? .ipv4(UInt32(truncatingIfNeeded: low)) : .ipv6(high: high, low: low)
        }

        var isLoopback: Bool {
            switch self {
            case .ipv4(let address): address >> 24 == 127
            case .ipv6(let high, let low): high == 0 && low == 1
            }
        }

        func network(seenFrom ours: Address?) -> Network {
            switch self {
            case .ipv4(let address): Network(ipv4: address)
            case .ipv6(let high, let low):
                ours?.prefix == high || high >> 54 == 0xfe80 >> 6
                    ? Network(neighbour: high, low) : Network(ipv6Prefix: high)
            }
        }

        private var prefix: UInt64? {
            if case .ipv6(let high, _) = self { high } else { nil }
        }
    }
}

/// The address within the kernel's `sockaddr_in` (at 4) and `sockaddr_in6` (at 8), in the order of the network.
extension SocketAddress.IPv4Address {
    fileprivate func bytes(at offset: Int) -> UInt32 {
        withUnsafeBytes(of: address) { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }
}

extension SocketAddress.IPv6Address {
    fileprivate func bytes(at offset: Int) -> UInt64 {
        withUnsafeBytes(of: address) { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    }
}
