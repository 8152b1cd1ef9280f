import Glibc

/// Why no other device has reached this host, as far as the host can tell.
///
/// A device that tries to reach us asks for our link-layer address first, and so stands in the kernel's neighbour
/// table even when a firewall drops what it sends next. Where access points keep their clients apart, nobody but the
/// router ever stands there.
package struct Reachability: Sendable, Equatable {
    package enum Advice: Sendable, Equatable {
        /// Other devices have reached us.
        case none
        /// Devices are there, and this firewall is on. `command` opens the port; it wants root.
        case firewallLikely(program: String, command: String)
        /// Nobody but the router has ever asked for us: another network, a guest network, client isolation.
        case isolationLikely
        /// Nothing points anywhere.
        case unknown
    }

    /// Devices other than the router that have asked for us or that we have asked for; nil when that cannot be read.
    package var neighbourCount: Int?
    /// Connections from other devices since the start.
    package var strangerCount: Int
    package var firewall: FirewallFacts

    package init(neighbourCount: Int?, strangerCount: Int, firewall: FirewallFacts) {
        self.neighbourCount = neighbourCount
        self.strangerCount = strangerCount
        self.firewall = firewall
    }

    /// As it is now; reads small files and blocks as long as that takes.
    /// - Parameters:
    ///   - neighbours: nil when the kernel tells nothing
    ///   - root: the folder that stands for `/`
    package static func read(
        strangerCount: Int, neighbours: NeighbourTable? = .read(), root: String = ""
    ) -> Reachability {
        Reachability(
            neighbourCount: neighbours?.deviceCount, strangerCount: strangerCount, firewall: .read(root: root))
    }

    /// - Parameter port: the one that other devices connect to
    package func advice(port: Int) -> Advice {
        guard strangerCount == 0 else { return .none }
        if neighbourCount == 0 { return .isolationLikely }
        return firewall.hint(port: port) ?? .unknown
    }
}

extension FirewallFacts {
    /// `firewallLikely` when a firewall is known to be on.
    package func hint(port: Int) -> Reachability.Advice? {
        if ufw == .on { return .firewallLikely(program: "ufw", command: "sudo ufw allow \(port)/tcp") }
        if firewalld == .on {
            return .firewallLikely(
                program: "firewalld",
                command: "sudo firewall-cmd --permanent --add-port=\(port)/tcp && sudo firewall-cmd --reload")
        }
        return nil
    }
}

/// What a process without rights can see of this host's firewall. No program is run.
package struct FirewallFacts: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case on
        case off
        /// Neither can be told: nothing readable says so.
        case unknown
    }

    package var ufw: State
    package var firewalld: State

    package init(ufw: State, firewalld: State) {
        self.ufw = ufw
        self.firewalld = firewalld
    }

    /// Reads small files; blocks as long as that takes.
    /// - Parameter root: the folder that stands for `/`
    package static func read(root: String = "") -> FirewallFacts {
        FirewallFacts(ufw: ufw(root), firewalld: firewalld(root))
    }

    /// `ENABLED=yes` in ufw.conf, which everybody may read.
    private static func ufw(_ root: String) -> State {
        guard let text = TextFile.read(root + "/etc/ufw/ufw.conf") else { return .unknown }
        let values = text.split(separator: "\n").compactMap { line -> String? in
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
            return parts.count == 2 && parts[0] == "ENABLED" ? parts[1].lowercased() : nil
        }
        guard let value = values.last else { return .unknown }
        return value.trimmingQuotes == "yes" ? .on : .off
    }

    /// firewalld leaves a folder or a process id in /run; for a unit that runs, systemd leaves a link that points
    /// nowhere and has the unit's name.
    private static func firewalld(_ root: String) -> State {
        let traces = ["/run/firewalld", "/run/firewalld.pid", "/run/systemd/units/invocation:firewalld.service"]
        var status = stat()
        return traces.contains { lstat(root + $0, &status) == 0 } ? .on : .unknown
    }
}

extension String {
    fileprivate var trimmingQuotes: Substring {
        guard count >= 2, let first, first == last, first == "\"" || first == "'" else { return self[...] }
        return dropFirst().dropLast()
    }
}
