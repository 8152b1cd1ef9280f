import Bytes
package import Records

/// The names under which this host may be spoken to. A page of a stranger's domain that resolves to our address (DNS
/// rebinding) still sends the stranger's name.
package struct HostAllowList: Sendable {
    private let names: Set<String>
    /// Addresses of others that lead here: of whatever hands connections on, as a router or a container's host does.
    private let addresses: Set<IPAddress>
    /// This host's own name, up to its first dot.
    private let label: String?

    /// - Parameters:
    ///   - configured: names and addresses from the configuration, without port
    ///   - hostname: what the system calls itself; allowed bare and as `.local`
    package init(configured: [String], hostname: String?) {
        var names: Set<String> = ["localhost"]
        var label: String?
        for name in configured { names.insert(Self.normalize(name)) }
        addresses = Set(configured.compactMap { IPAddress($0) })
        if let hostname, !hostname.isEmpty {
            let normalized = Self.normalize(hostname)
            names.insert(normalized)
            names.insert(normalized + ".local")
            if let first = normalized.split(separator: ".").first {
                names.insert(first + ".local")
                label = String(first)
            }
        }
        self.names = names
        self.label = label
    }

    /// - Parameters:
    ///   - host: the value of `Host`, with or without port
    ///   - local: the address at which this very connection arrived
    package func allows(host: String?, local: ClientAddress) -> Bool {
        // Beyond ASCII, letters that differ count as equal.
        guard let host, host.utf8.allSatisfy({ $0 < 0x80 }), let name = Self.splitPort(host) else { return false }
        if name.utf8.first == UInt8(ascii: "[") {
            guard let address = Self.ipv6(name.dropFirst().dropLast()) else { return false }
            return .ip(address) == local || addresses.contains(address)
        }
        if let address = IPAddress(ipv4: name) { return .ip(address) == local || addresses.contains(address) }
        let normalized = Self.normalize(name)
        return names.contains(normalized) || isOtherInstance(normalized)
    }

    /// Whether the network calls this host so: its own name, and a domain that the network appends to bare names.
    package func allows(host: String?, in search: SearchDomains) -> Bool {
        guard let label, let host, host.utf8.allSatisfy({ $0 < 0x80 }), let name = Self.splitPort(host) else {
            return false
        }
        let normalized = Self.normalize(name)
        return search.domains.contains { normalized == "\(label).\($0)" }
    }

    /// `HOST-2.local`: what Avahi calls a host whose name another one in the network has already. It is as much or as
    /// little ours as `HOST.local`: nobody outside this network can give such a name.
    private func isOtherInstance(_ name: String) -> Bool {
        guard let label, name.hasPrefix(label + "-"), name.hasSuffix(".local") else { return false }
        let number = name.dropFirst(label.utf8.count + 1).dropLast(".local".utf8.count)
        return (1...4).contains(number.utf8.count)
            && number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// An address of this link may come with the zone by which the client knows it, which says nothing here.
    private static func ipv6(_ text: Substring) -> IPAddress? {
        guard let percent = text.firstIndex(of: "%") else { return IPAddress(ipv6: text) }
        let zone = text[text.index(after: percent)...].utf8
        let isZone = (1...32).contains(zone.count) && zone.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard isZone, let address = IPAddress(ipv6: text[..<percent]), address.isLinkLocal else {
            return nil
        }
        return address
    }

    /// The part before `:port`; `nil` when the port is none or the value is empty.
    private static func splitPort(_ host: String) -> Substring? {
        let bytes = host.utf8
        let end: String.Index
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = bytes.index(after: bracket)
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        }
        let rest = bytes[end...]
        guard end > bytes.startIndex, rest.isEmpty || rest.first == UInt8(ascii: ":"), isPort(rest.dropFirst()) else {
            return nil
        }
        return host[..<end]
    }

    /// A number of 16 bits in at most five digits, or nothing.
    private static func isPort(_ digits: Substring.UTF8View) -> Bool {
        var port = 0
        for (count, digit) in digits.enumerated() {
            guard count < 5, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return false }
            port = port * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return port <= UInt16.max
    }

    /// Lower case, without one trailing dot.
    private static func normalize(_ name: some StringProtocol) -> String {
        let lowered = name.lowercased()
        return lowered.count > 1 && lowered.hasSuffix(".") ? String(lowered.dropLast()) : lowered
    }
}
