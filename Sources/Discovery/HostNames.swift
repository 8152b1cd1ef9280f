import Glibc

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
