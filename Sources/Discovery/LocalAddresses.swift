import Bytes
import Glibc

/// The addresses of this host that another device can type.
package enum LocalAddresses {
    /// Those of interfaces that are up, without loopback and link-local IPv6. The likeliest for a phone on the same
    /// Wi-Fi comes first: IPv4 before IPv6, the interface of the default route before others, bridges of containers
    /// and virtual machines last. Cheap; does not block.
    package static func current() -> [LocalAddress] {
        sorted(list(), defaultInterface: RoutingTable.read()?.defaultInterface)
    }

    static func sorted(_ addresses: [LocalAddress], defaultInterface: String?) -> [LocalAddress] {
        let rank = { (address: LocalAddress) in
            (address.address.isIPv4 ? 0 : 3)
                + (address.interface == defaultInterface ? 0 : address.isForGuestsOfThisHost ? 2 : 1)
        }
        // Equal ones keep the order of the kernel.
        return addresses.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map(\.element)
    }

    private static func list() -> [LocalAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        return sequence(first: list, next: { $0?.pointee.ifa_next }).compactMap { entry in
            guard let entry = entry?.pointee, let socketAddress = entry.ifa_addr, let name = entry.ifa_name,
                entry.ifa_flags & UInt32(IFF_UP) != 0, entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
                let bytes = bytes(of: socketAddress), let address = IPAddress(bytes: bytes),
                case let local = LocalAddress(address, interface: String(cString: name)), !local.needsZone
            else { return nil }
            return local
        }
    }

    private static func bytes(of address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            withUnsafeBytes(of: UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6:
            withUnsafeBytes(of: UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: nil
        }
    }
}
