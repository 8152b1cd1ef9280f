import Glibc
import NIOCore

/// An IPv4 or IPv6 address without zone; an IPv4 address in IPv6's clothes counts as IPv4.
struct IPAddress: Hashable, Sendable {
    /// 4 or 16, in network order.
    let bytes: [UInt8]

    /// Nil unless there are 4 or 16 bytes.
    init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = bytes.starts(with: Self.mappedPrefix) ? Array(bytes.suffix(4)) : bytes
        default: return nil
        }
    }

    /// Takes what people write: `192.168.1.2`, `fe80::1%eth0`, `[::1]`.
    init?(_ text: String) {
        var text = text[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        let number = String(text.prefix { $0 != "%" })
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if inet_pton(AF_INET, number, &ipv4) == 1 {
            self.init(bytes: withUnsafeBytes(of: ipv4) { Array($0) })
        } else if inet_pton(AF_INET6, number, &ipv6) == 1 {
            self.init(bytes: withUnsafeBytes(of: ipv6) { Array($0) })
        } else {
            return nil
        }
    }

    /// Nil for unix sockets.
    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(text)
    }

    static let loopback = [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]].compactMap { IPAddress(bytes: $0) }
    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// `0.0.0.0` or `::`: no address of any host.
    var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }
}

extension IPAddress: CustomStringConvertible {
    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
