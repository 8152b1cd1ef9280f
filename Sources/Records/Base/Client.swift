/// Where a request comes from, as the socket says.
package enum ClientAddress: Hashable, Sendable {
    /// 4 bytes, network order.
    case ipv4([UInt8])
    /// 16 bytes, network order.
    case ipv6([UInt8])
    case unixSocket

    package var isLoopback: Bool {
        switch self {
        case .ipv4(let bytes): bytes.first == 127
        case .ipv6(let bytes):
            // A socket for both families shows IPv4 peers as mapped addresses.
            bytes.starts(with: Self.mappedPrefix)
                ? bytes.dropFirst(12).first == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        case .unixSocket: true
        }
    }

    /// Without the form: mapped IPv4 is IPv4.
    package var bytes: [UInt8] {
        switch self {
        case .ipv4(let bytes): [4] + bytes
        case .ipv6(let bytes): bytes.starts(with: Self.mappedPrefix) ? [4] + bytes.suffix(4) : [6] + bytes
        case .unixSocket: [0]
        }
    }

    private static let mappedPrefix: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
}

/// Who asks: the address, and the cookie of a device that has opened a vault before.
package struct Client: Sendable {
    package var address: ClientAddress
    /// Value of the cookie `safelight-device`.
    package var deviceCookie: String?
    /// The link-layer address of the device, where that is on one of this host's own links and the kernel knows it: one
    /// device may have any number of addresses. Nil for this host itself, for whom a router or a proxy stands before,
    /// and where nothing is known.
    package var neighbour: [UInt8]?
    /// The address shares this host's own IPv6 /64 or link, where each device has addresses of its own; elsewhere a
    /// whole /64 is one household's.
    package var isOnLink: Bool

    package init(
        address: ClientAddress, deviceCookie: String? = nil, neighbour: [UInt8]? = nil, isOnLink: Bool = false
    ) {
        self.address = address
        self.deviceCookie = deviceCookie
        self.neighbour = neighbour
        self.isOnLink = isOnLink
    }

    /// What limits count by: the device where it is known, else its address, or the /64 of an IPv6 address from
    /// elsewhere.
    package var holder: [UInt8] {
        neighbour.map { [1] + $0 } ?? throttleBytes
    }

    /// Whom limits on neighbours count, which is nobody for this host itself.
    package var neighbourToCount: [UInt8]? { address.isLoopback ? nil : holder }

    /// What failures slow down: the address; from elsewhere the /64 of an IPv6 address, since every household has a
    /// whole one.
    package var throttleBytes: [UInt8] {
        let bytes = address.bytes
        let isAlone = isOnLink || neighbour != nil || address.isLoopback
        return bytes[0] == 6 && !isAlone ? Array(bytes.prefix(9)) : bytes
    }
}
