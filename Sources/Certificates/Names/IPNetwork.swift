/// A range of addresses: those that share the first bits.
struct IPNetwork: Hashable, Sendable {
    /// 4 or 16 each, as a name constraint holds them one after the other (RFC 5280, 4.2.1.10).
    private let address: [UInt8]
    private let mask: [UInt8]

    init(_ address: IPAddress, prefixLength: Int) {
        mask = address.bytes.indices.map { index in
            let ones = min(8, max(0, prefixLength - 8 * index))
            return UInt8(truncatingIfNeeded: 0xFF00 >> ones)
        }
        self.address = zip(address.bytes, mask).map { $0 & $1 }
    }

    /// Reads a name constraint. Nil unless there are 8 or 32 bytes.
    init?(constraint bytes: some Collection<UInt8>) {
        guard bytes.count == 8 || bytes.count == 32 else { return nil }
        mask = Array(bytes.suffix(bytes.count / 2))
        address = zip(bytes, mask).map { $0 & $1 }
    }

    var constraint: [UInt8] { address + mask }

    func contains(_ other: IPAddress) -> Bool {
        other.bytes.count == address.count && zip(other.bytes, mask).map { $0 & $1 } == address
    }

    /// What cannot be an address of a host in the open Internet: private (RFC 1918), link-local, loopback, shared
    /// (RFC 6598, as VPNs of people use it) and unique local (RFC 4193).
    static let local: [IPNetwork] = [
        ("10.0.0.0", 8), ("172.16.0.0", 12), ("192.168.0.0", 16), ("169.254.0.0", 16), ("127.0.0.0", 8),
        ("100.64.0.0", 10), ("::1", 128), ("fe80::", 10), ("fc00::", 7),
    ].compactMap { text, length in IPAddress(text).map { IPNetwork($0, prefixLength: length) } }

    /// The smallest range that stays with one household: an IPv6 host changes the second half of its address daily.
    static func household(of address: IPAddress) -> IPNetwork {
        IPNetwork(address, prefixLength: address.bytes.count == 4 ? 32 : 64)
    }
}
