import Glibc

/// An IPv4 or IPv6 address without zone. An IPv4 address in IPv6's clothes (`::ffff:a.b.c.d`) counts as IPv4, so that
/// each host has one address, whichever socket it came by.
package struct IPAddress: Hashable, Sendable {
    /// The first 8 bytes of an IPv6 address; 0 for IPv4.
    package let high: UInt64
    /// The last 8 bytes of an IPv6 address, or the 4 of an IPv4 address.
    package let low: UInt64
    package let isIPv4: Bool

    package init(ipv4 address: UInt32) {
        (high, low, isIPv4) = (0, UInt64(address), true)
    }

    package init(high: UInt64, low: UInt64) {
        let isMapped = high == 0 && low >> 32 == 0xffff
        self.high = high
        self.low = isMapped ? low & 0xffff_ffff : low
        isIPv4 = isMapped
    }

    /// Nil unless there are 4 or 16 bytes, in the order of the network.
    package init?(bytes: some Collection<UInt8>) {
        var reader = ByteReader(Array(bytes))
        switch bytes.count {
        case 4:
            guard let address = reader.readUInt32() else { return nil }
            self.init(ipv4: address)
        case 16:
            guard let high = reader.readUInt64(), let low = reader.readUInt64() else { return nil }
            self.init(high: high, low: low)
        default: return nil
        }
    }

    /// `a.b.c.d`
    package static func ipv4(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> IPAddress {
        IPAddress(ipv4: UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d))
    }

    package static let unspecified = IPAddress(high: 0, low: 0)
    /// `127.0.0.1` and `::1`.
    package static let loopback = [ipv4(127, 0, 0, 1), IPAddress(high: 0, low: 1)]

    /// 4 or 16, in the order of the network.
    package var bytes: [UInt8] {
        isIPv4 ? UInt32(truncatingIfNeeded: low).bigEndianBytes : high.bigEndianBytes + low.bigEndianBytes
    }

    /// `127.0.0.0/8` or `::1`.
    package var isLoopback: Bool { isIPv4 ? low >> 24 == 127 : high == 0 && low == 1 }

    /// IPv6 `fe80::/10`: it holds on one link only.
    package var isLinkLocal: Bool { !isIPv4 && high >> 54 == 0xfe80 >> 6 }

    /// `0.0.0.0` or `::`: no address of any host.
    package var isUnspecified: Bool { high == 0 && low == 0 }
}

extension IPAddress {
    /// Takes what people write: `192.168.1.2`, `fe80::1%eth0`, `[::1]`.
    package init?(_ text: String) {
        var text = text[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        let number = text.prefix { $0 != "%" }
        guard let address = IPAddress(ipv4: number) ?? IPAddress(ipv6: number) else { return nil }
        self = address
    }

    /// An IPv4 address in its one usual form: four decimal numbers without leading zeros. The decimal, octal,
    /// hexadecimal and short forms that some resolvers take are refused.
    package init?(ipv4 text: some StringProtocol) {
        var (address, count): (UInt32, Int) = (0, 0)
        // Nil before its first digit.
        var octet: UInt32?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let grown = (octet ?? 0) * 10 + UInt32(byte - UInt8(ascii: "0"))
                guard octet != 0, grown <= UInt8.max else { return nil }
                octet = grown
            case UInt8(ascii: "."):
                guard let whole = octet, count < 3 else { return nil }
                (address, count, octet) = (address << 8 | whole, count + 1, nil)
            default: return nil
            }
        }
        guard let last = octet, count == 3 else { return nil }
        self.init(ipv4: address << 8 | last)
    }

    /// An IPv6 address in any of its forms, without a zone.
    package init?(ipv6 text: some StringProtocol) {
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
        self.init(bytes: withUnsafeBytes(of: address) { Array($0) })
    }
}

extension IPAddress: CustomStringConvertible {
    /// In numbers, without brackets: `192.168.1.20`, `2001:db8::20`.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

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
