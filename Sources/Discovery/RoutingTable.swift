import Glibc

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

/// Asks the kernel over a netlink socket (rtnetlink(7)). `/proc/net` lists the neighbours of IPv4 alone.
enum RouteNetlink {
    /// Numbers from linux/netlink.h and linux/rtnetlink.h.
    private enum Kind {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newNeighbour: UInt16 = 28
        static let getNeighbour: UInt16 = 30
    }

    private static let routeProtocol: CInt = 0
    /// NLM_F_REQUEST and NLM_F_DUMP.
    private static let dumpFlags: UInt16 = 0x1 | 0x300
    private static let headerByteCount = 16
    private static let bodyByteCount = 12
    /// The kernel fills no more than 32 KiB at a time.
    private static let bufferByteCount = 64 * 1024

    /// - Returns: nil when the kernel does not answer
    static func neighbours() -> [NeighbourTable.Neighbour]? {
        let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), routeProtocol)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size) == 0 else { return nil }
        let request = request()
        guard send(descriptor, request, request.count, 0) == request.count else { return nil }
        return receive(from: descriptor)
    }

    private static func receive(from descriptor: CInt) -> [NeighbourTable.Neighbour]? {
        var answer = Answer()
        var buffer = [UInt8](repeating: 0, count: bufferByteCount)
        while !answer.isComplete {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0, answer.take(buffer[..<count]) else { return nil }
        }
        return answer.neighbours
    }

    /// `struct nlmsghdr` and a `struct ndmsg` of zeros, which asks for all families.
    private static func request() -> [UInt8] {
        var bytes: [UInt8] = []
        append(UInt32(headerByteCount + bodyByteCount), to: &bytes)
        append(Kind.getNeighbour, to: &bytes)
        append(dumpFlags, to: &bytes)
        return bytes + [UInt8](repeating: 0, count: 8 + bodyByteCount)
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number) { bytes += $0 }
    }

    /// What came so far. Numbers are in the order of this machine.
    struct Answer {
        private(set) var neighbours: [NeighbourTable.Neighbour] = []
        private(set) var isComplete = false

        /// - Returns: false for an error, and for what is no answer
        mutating func take(_ datagram: ArraySlice<UInt8>) -> Bool {
            var rest = datagram
            while !rest.isEmpty, !isComplete {
                guard rest.count >= headerByteCount, let byteCount = rest.number(at: 0, as: UInt32.self),
                    let kind = rest.number(at: 4, as: UInt16.self), byteCount >= headerByteCount,
                    byteCount <= rest.count, kind != Kind.error
                else { return false }
                if kind == Kind.done { isComplete = true }
                if kind == Kind.newNeighbour {
                    let body = rest.prefix(Int(byteCount)).dropFirst(headerByteCount)
                    if let neighbour = NeighbourTable.Neighbour(message: body) { neighbours.append(neighbour) }
                }
                rest = rest.dropFirst(aligned(Int(byteCount)))
            }
            return true
        }
    }

    /// Messages and attributes begin at multiples of 4.
    static func aligned(_ byteCount: Int) -> Int { (byteCount + 3) & ~3 }

    fileprivate static func attributes(of message: ArraySlice<UInt8>) -> [UInt16: ArraySlice<UInt8>] {
        var found: [UInt16: ArraySlice<UInt8>] = [:]
        var rest = message.dropFirst(bodyByteCount)
        while let byteCount = rest.number(at: 0, as: UInt16.self), let kind = rest.number(at: 2, as: UInt16.self),
            byteCount >= 4, byteCount <= rest.count
        {
            found[kind] = rest.prefix(Int(byteCount)).dropFirst(4)
            rest = rest.dropFirst(aligned(Int(byteCount)))
        }
        return found
    }
}

extension NeighbourTable.Neighbour {
    /// Of linux/neighbour.h: the kernel has heard from it, if not just now (NUD_REACHABLE, _STALE, _DELAY, _PROBE), or was
    /// told of it (NUD_PERMANENT).
    private static let knownStates: UInt16 = 0x02 | 0x04 | 0x08 | 0x10 | 0x80
    private static let routerFlag: UInt8 = 0x80
    /// NDA_DST and NDA_LLADDR.
    private static let (addressAttribute, linkAddressAttribute): (UInt16, UInt16) = (1, 2)

    /// - Parameter message: a `struct ndmsg` and its attributes
    /// - Returns: nil for an entry that names no device: of another family, without an answer yet, of many at once
    fileprivate init?(message: ArraySlice<UInt8>) {
        let attributes = RouteNetlink.attributes(of: message)
        guard let family = message.first, [UInt8(AF_INET), UInt8(AF_INET6)].contains(family),
            let interface = message.number(at: 4, as: UInt32.self),
            let state = message.number(at: 8, as: UInt16.self), state & Self.knownStates != 0,
            let flags = message.number(at: 10, as: UInt8.self),
            let address = attributes[Self.addressAttribute], address.count == (family == AF_INET ? 4 : 16),
            let linkAddress = attributes[Self.linkAddressAttribute], let first = linkAddress.first,
            // The lowest bit marks a group of devices.
            linkAddress.count != 6 || first & 1 == 0, linkAddress.contains(where: { $0 != 0 })
        else { return nil }
        self.init(
            address: Array(address), interface: interface, linkAddress: Array(linkAddress),
            isRouter: flags & Self.routerFlag != 0)
    }
}

extension ArraySlice<UInt8> {
    fileprivate func number<Number: FixedWidthInteger>(at offset: Int, as kind: Number.Type) -> Number? {
        guard offset + MemoryLayout<Number>.size <= count else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: kind) }
    }
}
