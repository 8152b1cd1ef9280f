import Glibc

/// One address of this host, by which another device can reach it.
package struct LocalAddress: Sendable, Hashable {
    package enum Family: Sendable, Hashable {
        case ipv4
        case ipv6
    }

    package let family: Family
    /// Network order: 4 or 16 of them.
    package let bytes: [UInt8]
    /// The network interface that has it, such as `wlan0`.
    package let interface: String

    /// - Returns: nil when these are neither 4 nor 16 bytes.
    package init?(bytes: [UInt8], interface: String) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        family = bytes.count == 4 ? .ipv4 : .ipv6
        self.bytes = bytes
        self.interface = interface
    }

    /// In numbers, without brackets: `192.168.1.20`, `2001:db8::20`.
    package var text: String {
        var text = [UInt8](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            text.withUnsafeMutableBytes { (text: UnsafeMutableRawBufferPointer) in
                inet_ntop(
                    family == .ipv4 ? AF_INET : AF_INET6, bytes.baseAddress,
                    text.baseAddress?.assumingMemoryBound(to: CChar.self), socklen_t(text.count))
            }
        }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The address as it stands in a URL, where IPv6 stands in brackets.
    package var urlHost: String { family == .ipv4 ? text : "[\(text)]" }

    /// Of a bridge that Docker, Podman, libvirt, LXD and the like make for what runs on this very host: no device of
    /// the network gets there.
    var isForGuestsOfThisHost: Bool {
        ["docker", "br-", "veth", "virbr", "podman", "cni", "lxcbr", "lxdbr", "vmnet", "vboxnet"]
            .contains { interface.hasPrefix($0) }
    }

    /// Link-local IPv6 needs a zone that no other device knows.
    var needsZone: Bool { family == .ipv6 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 }
}
