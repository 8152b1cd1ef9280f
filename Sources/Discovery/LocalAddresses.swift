import Glibc

/// The addresses of this host that another device can type.
package enum LocalAddresses {
    /// IPv4 addresses of interfaces that are up, without loopback, then global IPv6 ones in brackets where they are wanted.
    package static func all(withIPv6: Bool) -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [(family: Int32, text: String)] = []
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee, let address = entry.ifa_addr, entry.ifa_flags & UInt32(IFF_UP) != 0,
                entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || (withIPv6 && family == AF_INET6), let text = numeric(address, family) else {
                continue
            }
            // Link-local IPv6 addresses need a zone that no other device knows.
            if family == AF_INET6, text.hasPrefix("fe80") { continue }
            found.append((family, family == AF_INET6 ? "[\(text)]" : text))
        }
        return found.sorted { $0.family < $1.family }.map(\.text)
    }

    private static func numeric(_ address: UnsafeMutablePointer<sockaddr>, _ family: Int32) -> String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        guard getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
