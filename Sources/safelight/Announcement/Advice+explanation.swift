import Discovery

extension Reachability.Advice {
    /// Nil when nothing is to be said.
    func explanation(port: Int) -> String? {
        switch self {
        case .none: nil
        case .firewallLikely(let program, let command):
            "A firewall (\(program)) is on here. If a device cannot connect, this lets it in: \(command)"
        case .isolationLikely:
            "None has been seen on this network either: it has to be in the same Wi-Fi or network as this host, not in a guest Wi-Fi, and the router must not keep devices apart (\"client isolation\", \"AP isolation\")."
        case .unknown:
            "If one has tried: it has to be in the same Wi-Fi or network as this host, not in a guest Wi-Fi, and a firewall on this host must let TCP port \(port) in."
        }
    }
}
