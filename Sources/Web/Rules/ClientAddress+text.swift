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
        let pieces = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard pieces.count == 4 else { return nil }
        var octets: [UInt8] = []
        for piece in pieces {
            guard piece.allSatisfy({ (0x30...0x39).contains($0) }),
                piece.count == 1 || piece.first != UInt8(ascii: "0"),
                let octet = UInt8(String(decoding: piece, as: UTF8.self))
            else { return nil }
            octets.append(octet)
        }
        self = .ipv4(octets)
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
