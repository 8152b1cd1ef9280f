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

/// One address of this host, by which another device can reach it.
package struct LocalAddress: Sendable, Hashable {
    let address: IPAddress
    /// The network interface that has it, such as `wlan0`.
    package let interface: String

    init(_ address: IPAddress, interface: String) {
        self.address = address
        self.interface = interface
    }

    /// In numbers, without brackets: `192.168.1.20`, `2001:db8::20`.
    package var text: String { address.description }

    /// The address as it stands in a URL, where IPv6 stands in brackets.
    package var urlHost: String { address.isIPv4 ? text : "[\(text)]" }

    /// Of a bridge that Docker, Podman, libvirt, LXD and the like make for what runs on this very host: no device of
    /// the network gets there.
    var isForGuestsOfThisHost: Bool {
        ["docker", "br-", "veth", "virbr", "podman", "cni", "lxcbr", "lxdbr", "vmnet", "vboxnet"]
            .contains { interface.hasPrefix($0) }
    }

    /// Link-local IPv6 needs a zone that no other device knows.
    var needsZone: Bool { address.isLinkLocal }
}

/// What a person on another device types to open the page.
package struct PageAddresses: Sendable, Equatable {
    /// Complete URLs with a path of `/`, the best first, each once. Empty when no other device can connect.
    package let urls: [String]

    /// - Parameters:
    ///   - isDotLocalAnswered: something on this host answers multicast DNS
    ///   - isCertificateOwn: the owner brought a certificate
    ///   - isNamed: whether the certificate names the host so; other names would lead to a warning that never ends
    package init(
        ports: [OpenPort], names: HostNames, isDotLocalAnswered: Bool, isCertificateOwn: Bool,
        isNamed: (String) -> Bool = { _ in true }
    ) {
        let scheme = isCertificateOwn ? "https" : "http"
        let dotLocal = isDotLocalAnswered ? [names.dotLocal].compactMap(\.self) : []
        let named = (isCertificateOwn ? names.configured + dotLocal : dotLocal + names.configured).filter(isNamed)
        var seen: Set<String> = []
        urls = ports.flatMap { open in
            Self.hosts(open.scope, named: named, names: names).map { "\(scheme)://\($0):\(open.port)/" }
        }.filter { seen.insert($0).inserted }
    }

    private static func hosts(_ scope: OpenPort.Scope, named: [String], names: HostNames) -> [String] {
        switch scope {
        case .thisHost: []
        case .one(let host): [host]
        case .everyAddress(let withIPv6):
            named
                + names.addresses.filter { (withIPv6 || $0.address.isIPv4) && !$0.isForGuestsOfThisHost }
                .map(\.urlHost)
        }
    }
}

/// A port of this host that is listened on.
package struct OpenPort: Sendable, Equatable {
    /// From where it can be connected to.
    package enum Scope: Sendable, Equatable {
        /// Every address of this host.
        case everyAddress(withIPv6: Bool)
        /// One address or name, as it stands in a URL: IPv6 in brackets.
        case one(String)
        /// Nothing but this host.
        case thisHost
    }

    package var scope: Scope
    package var port: Int

    package init(scope: Scope, port: Int) {
        self.scope = scope
        self.port = port
    }
}

/// Every name and address by which this host may be called.
package struct HostNames: Sendable, Equatable {
    /// What the system calls itself, in lower case; nil when it has no name besides `localhost`.
    package let hostname: String?
    /// Further names from the configuration, in lower case.
    package let configured: [String]
    /// Without loopback; see `LocalAddresses.current`.
    package let addresses: [LocalAddress]

    package init(hostname: String?, configured: [String], addresses: [LocalAddress]) {
        let name = hostname.map(Self.normalized)
        self.hostname = name == "" || name == "localhost" ? nil : name
        self.configured = configured.map(Self.normalized).filter { !$0.isEmpty }
        self.addresses = addresses
    }

    /// As they are now.
    package static func current(configured: [String]) -> HostNames {
        HostNames(hostname: systemHostname(), configured: configured, addresses: LocalAddresses.current())
    }

    /// The name that multicast DNS answers to: the first label of `hostname`, with `.local`.
    package var dotLocal: String? {
        hostname?.split(separator: ".").first.map { $0 + ".local" }
    }

    /// All names, each once: `localhost`, `hostname`, `dotLocal`, the configured ones.
    package var names: [String] {
        var seen: Set<String> = []
        return (["localhost", hostname, dotLocal].compactMap(\.self) + configured).filter { seen.insert($0).inserted }
    }

    /// Lower case, without the root's dot.
    private static func normalized(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    private static func systemHostname() -> String? {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        guard gethostname(&name, name.count) == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
