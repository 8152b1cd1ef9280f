package import Bytes

/// Where a request comes from, as the socket says.
package enum ClientAddress: Hashable, Sendable {
    case ip(IPAddress)
    case unixSocket

    package var isLoopback: Bool {
        switch self {
        case .ip(let address): address.isLoopback
        case .unixSocket: true
        }
    }

    /// The address by which programs of this host come that choose none of their own.
    package var isHostItself: Bool {
        switch self {
        case .ip(let address): IPAddress.loopback.contains(address)
        case .unixSocket: true
        }
    }

    /// What tells it from every other one: a byte for the kind, then the address.
    package var bytes: [UInt8] {
        switch self {
        case .ip(let address): [address.isIPv4 ? 4 : 6] + address.bytes
        case .unixSocket: [0]
        }
    }
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
