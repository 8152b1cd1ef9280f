package import Records

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension ClientAddress {
    /// An IPv4 address in its one usual form: four decimal numbers without leading zeros. The decimal, octal,
    /// hexadecimal and short forms that some resolvers take are refused.
    package init?(ipv4 text: some StringProtocol) {
        var octets: [UInt8] = []
        // Nil before its first digit.
        var octet: Int?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let grown = (octet ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
                guard octet != 0, grown <= UInt8.max else { return nil }
                octet = grown
            case UInt8(ascii: "."):
                guard let whole = octet else { return nil }
                octets.append(UInt8(whole))
                octet = nil
            default: return nil
            }
        }
        guard let last = octet, octets.count == 3 else { return nil }
        self = .ipv4(octets + [UInt8(last)])
    }

    /// An IPv6 address in any of its forms, without a zone.
    init?(ipv6 text: some StringProtocol) {
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
        self = .ipv6(withUnsafeBytes(of: address) { Array($0) })
    }

    /// An IPv4 address that came through an IPv6 socket, as IPv4, so that each client has one address.
    var unmapped: ClientAddress {
        guard case .ipv6(let bytes) = self, bytes.count == 16,
            bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff])
        else { return self }
        return .ipv4(Array(bytes[12...]))
    }
}
