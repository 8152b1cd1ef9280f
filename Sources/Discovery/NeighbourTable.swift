import Glibc

/// The devices that this host has exchanged link-layer addresses with, over IPv4 and IPv6, as the kernel knows them.
package struct NeighbourTable: Equatable, Sendable {
    package struct Neighbour: Equatable, Sendable {
        /// 4 or 16 bytes, in the order of the network.
        package var address: [UInt8]
        /// The number of the interface that it is behind.
        package var interface: UInt32
        /// 6 bytes on Ethernet and Wi-Fi.
        package var linkAddress: [UInt8]
        /// It says of itself that it forwards packets (IPv6 only).
        package var isRouter = false

        package init(address: [UInt8], interface: UInt32, linkAddress: [UInt8], isRouter: Bool = false) {
            self.address = address
            self.interface = interface
            self.linkAddress = linkAddress
            self.isRouter = isRouter
        }
    }

    package let neighbours: [Neighbour]
    /// Link-layer addresses of the gateways of this host's IPv4 routes.
    private let gateways: Set<[UInt8]>
    private let indices: [[UInt8]: [Int]]

    /// - Parameter gateways: IPv4 addresses of routers
    package init(_ neighbours: [Neighbour] = [], gateways: Set<[UInt8]> = []) {
        self.neighbours = neighbours
        self.gateways = Set(neighbours.filter { gateways.contains($0.address) }.map(\.linkAddress))
        indices = Dictionary(grouping: neighbours.indices) { neighbours[$0].address }
    }

    /// Asks the kernel, which answers at once; still no work for a thread on which others wait.
    /// - Returns: nil when the kernel tells us nothing
    package static func read() -> NeighbourTable? {
        RouteNetlink.neighbours().map { NeighbourTable($0, gateways: RoutingTable.read()?.gateways ?? []) }
    }

    /// Which device has an address.
    /// - Parameter interface: where the address holds for one link only
    /// - Returns: nil where none is known, where two claim it, and for a gateway, which also answers for others that are
    ///   behind it
    package func linkAddress(of address: [UInt8], interface: UInt32? = nil) -> [UInt8]? {
        let found = (indices[address] ?? []).map { neighbours[$0] }
            .filter { interface == nil || $0.interface == interface }
        guard let first = found.first?.linkAddress, found.allSatisfy({ $0.linkAddress == first }),
            !gateways.contains(first)
        else { return nil }
        return first
    }

    /// How many there are besides the routers.
    var deviceCount: Int {
        let routers = gateways.union(neighbours.filter(\.isRouter).map(\.linkAddress))
        return Set(neighbours.map(\.linkAddress)).subtracting(routers).count
    }
}

/// Small files of the system.
enum TextFile {
    private static let limit = 1 << 20

    /// The first MiB; nil when it cannot be read.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = piece.withUnsafeMutableBytes { (piece: UnsafeMutableRawBufferPointer) in
                Glibc.read(descriptor, piece.baseAddress, piece.count)
            }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
