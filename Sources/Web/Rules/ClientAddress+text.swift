package import Vaults

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
        var octet: UInt8?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard octet != 0 else { return nil }
                let (tens, isTooLarge) = (octet ?? 0).multipliedReportingOverflow(by: 10)
                let (sum, isTooLargeByOnes) = tens.addingReportingOverflow(byte - UInt8(ascii: "0"))
                guard !isTooLarge, !isTooLargeByOnes else { return nil }
                octet = sum
            case UInt8(ascii: "."):
                guard let whole = octet else { return nil }
                octets.append(whole)
                octet = nil
            default: return nil
            }
        }
        guard let last = octet, octets.count == 3 else { return nil }
        self = .ipv4(octets + [last])
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
