/// A range of addresses: those that share the first bits.
package struct IPNetwork: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64
    private let highMask: UInt64
    private let lowMask: UInt64
    private let isIPv4: Bool

    /// - Parameter prefixLength: 0…32 or 0…128; what lies outside counts as the nearer end
    package init(_ address: IPAddress, prefixLength: Int) {
        let mask = { (bitCount: Int) in bitCount <= 0 ? 0 : UInt64.max << UInt64(64 - min(64, bitCount)) }
        isIPv4 = address.isIPv4
        highMask = isIPv4 ? 0 : mask(prefixLength)
        lowMask = isIPv4 ? mask(min(32, prefixLength)) >> 32 : mask(prefixLength - 64)
        (high, low) = (address.high & highMask, address.low & lowMask)
    }

    /// This address alone.
    package init(_ address: IPAddress) {
        self.init(address, prefixLength: address.isIPv4 ? 32 : 128)
    }

    /// `192.168.1.7`, `10.0.0.0/8`, `fd00::/8`.
    package init?(_ text: String) {
        let pieces = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = pieces.first, let address = IPAddress(ipv4: first) ?? IPAddress(ipv6: first) else {
            return nil
        }
        let most = address.isIPv4 ? 32 : 128
        let bitCount = pieces.count == 2 ? Int(pieces[1]) : most
        guard let bitCount, (0...most).contains(bitCount) else { return nil }
        self.init(address, prefixLength: bitCount)
    }

    /// Reads a name constraint: an address, then a mask (RFC 5280, 4.2.1.10). Nil unless there are 8 or 32 bytes.
    package init?(constraint bytes: some Collection<UInt8>) {
        guard bytes.count == 8 || bytes.count == 32 else { return nil }
        isIPv4 = bytes.count == 8
        var reader = ByteReader(Array(bytes))
        let words = (0..<bytes.count / (isIPv4 ? 4 : 8)).compactMap { [isIPv4] _ in
            isIPv4 ? reader.readUInt32().map { UInt64($0) } : reader.readUInt64()
        }
        (highMask, lowMask) = isIPv4 ? (0, words[1]) : (words[2], words[3])
        (high, low) = isIPv4 ? (0, words[0] & words[1]) : (words[0] & words[2], words[1] & words[3])
    }

    package var constraint: [UInt8] {
        isIPv4
            ? [low, lowMask].flatMap { UInt32(truncatingIfNeeded: $0).bigEndianBytes }
            : [high, low, highMask, lowMask].flatMap(\.bigEndianBytes)
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.isIPv4 == isIPv4 && address.high & highMask == high && address.low & lowMask == low
    }

    /// What cannot be an address of a host in the open Internet: private (RFC 1918), link-local, loopback, shared
    /// (RFC 6598, as VPNs of people use it) and unique local (RFC 4193).
    package static let local = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8", "100.64.0.0/10", "::1/128",
        "fe80::/10", "fc00::/7",
    ].compactMap { IPNetwork($0) }

    /// The smallest range that stays with one household: an IPv6 host changes the second half of its address daily.
    package static func household(of address: IPAddress) -> IPNetwork {
        IPNetwork(address, prefixLength: address.isIPv4 ? 32 : 64)
    }
}
