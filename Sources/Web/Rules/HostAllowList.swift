package import Vaults

/// The names under which this host may be spoken to. A page of a stranger's domain that resolves to our address (DNS
/// rebinding) still sends the stranger's name.
package struct HostAllowList: Sendable {
    private let names: Set<String>

    /// - Parameters:
    ///   - configured: names from the configuration, without port
    ///   - hostname: what the system calls itself; allowed bare and as `.local`
    package init(configured: [String], hostname: String?) {
        var names: Set<String> = ["localhost"]
        for name in configured { names.insert(Self.normalize(name)) }
        if let hostname, !hostname.isEmpty {
            let normalized = Self.normalize(hostname)
            names.insert(normalized)
            names.insert(normalized + ".local")
            if let first = normalized.split(separator: ".").first { names.insert(first + ".local") }
        }
        self.names = names
    }

    /// - Parameters:
    ///   - host: the value of `Host`, with or without port
    ///   - local: the address at which this very connection arrived
    package func allows(host: String?, local: ClientAddress) -> Bool {
        // Beyond ASCII, letters that differ count as equal.
        guard let host, host.utf8.allSatisfy({ $0 < 0x80 }), let name = Self.splitPort(host) else { return false }
        if name.utf8.first == UInt8(ascii: "[") {
            guard let address = ClientAddress(ipv6: name.dropFirst().dropLast()) else {
                return false
            }
            return address.unmapped == local.unmapped
        }
        if let address = ClientAddress(ipv4: name) { return address == local.unmapped }
        return names.contains(Self.normalize(name))
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
