/// The IPv4 routes of this host, as the kernel lists them in `/proc/self/net/route`.
struct RoutingTable: Equatable {
    struct Route: Equatable {
        var interface: String
        /// As the kernel prints it: the 32 bits in the order of this machine, so that it is equal to an address read
        /// the same way.
        var destination: UInt32
        var gateway: UInt32
        var metric: Int
    }

    var routes: [Route]

    /// Nil when the kernel shows none to us.
    static func read(root: String = "") -> RoutingTable? {
        // Not /proc/net: it is hidden where only processes are shown (ProcSubset=pid).
        TextFile.read(root + "/proc/self/net/route").map(RoutingTable.init)
    }

    init(_ text: String) {
        routes = text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count > 6, let destination = UInt32(fields[1], radix: 16),
                let gateway = UInt32(fields[2], radix: 16), let metric = Int(fields[6])
            else { return nil }
            return Route(
                interface: String(fields[0]), destination: destination, gateway: gateway, metric: metric)
        }
    }

    /// The interface to everything further away; of several, the one with the smallest metric.
    var defaultInterface: String? {
        routes.filter { $0.destination == 0 && $0.gateway != 0 }.min { $0.metric < $1.metric }?.interface
    }

    /// The addresses of the routers, each of 4 bytes.
    var gateways: Set<[UInt8]> {
        Set(routes.map(\.gateway).filter { $0 != 0 }.map { gateway in withUnsafeBytes(of: gateway) { Array($0) } })
    }
}
