import Glibc

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
