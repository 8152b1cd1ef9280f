import Bytes

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
