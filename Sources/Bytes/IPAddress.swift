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
