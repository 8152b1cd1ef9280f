package import NIOCore

/// Who is at the other end of a connection, as far as limits are concerned.
package enum Peer: Hashable, Sendable {
    /// This host: by loopback, by a socket file, or by one of its own addresses.
    case host
    /// Another host.
    case stranger(Network)

    /// What one limit is held for: an IPv4 address, or the /64 of an IPv6 address, since every device has a whole one.
    package struct Network: Hashable, Sendable {
        private let prefix: UInt64
        private let isIPv4: Bool

        package init(ipv4 address: UInt32) {
            prefix = UInt64(address)
            isIPv4 = true
        }

        package init(ipv6Prefix prefix: UInt64) {
            self.prefix = prefix
            isIPv4 = false
        }
    }

    /// Tells by the addresses of both ends. A connection without them is already gone; it counts as a stranger's.
    package static func classify(remote: SocketAddress?, local: SocketAddress?) -> Peer {
        if case .unixDomainSocket = local { return .host }
        guard let network = Address(remote) else { return .stranger(Network(ipv6Prefix: 0)) }
        // The kernel takes no packet from outside that claims to come from an address of this host.
        return network.isLoopback || network == Address(local) ? .host : .stranger(network.network)
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

        var network: Network {
            switch self {
            case .ipv4(let address): Network(ipv4: address)
            case .ipv6(let high, _): Network(ipv6Prefix: high)
            }
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
