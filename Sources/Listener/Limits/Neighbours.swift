package import Bytes
package import Discovery
package import NIOCore
import NIOPosix
import Synchronization

/// Tells which devices of this host's own links the other ends of connections are: one device takes as many addresses
/// as it likes, but they all answer for one link-layer address.
///
/// No proof of who somebody is: devices can change that, too. A limit by it stops those that need not be stopped twice.
package final class Neighbours: Sendable {
    /// The bytes of a link-layer address; nil where the kernel knows none.
    package typealias LinkAddress = [UInt8]

    private struct Question {
        let address: [UInt8]
        let interface: UInt32?
        let answer: EventLoopPromise<LinkAddress?>
    }

    private struct State {
        var table = NeighbourTable()
        var readAt: NIODeadline?
        /// To be answered by the next reading: one that has begun may be older than the address.
        var waiting: [Question] = []
        var isReading = false
    }

    /// How long an address is believed to be the same device's.
    private static let freshness: TimeAmount = .seconds(10)

    private let state = Mutex(State())
    private let now: @Sendable () -> NIODeadline
    private let read: @Sendable () -> NeighbourTable?

    /// - Parameter read: asks the kernel
    package convenience init(read: @escaping @Sendable () -> NeighbourTable? = { .read() }) {
        self.init(now: { .now() }, read: read)
    }

    init(now: @escaping @Sendable () -> NIODeadline, read: @escaping @Sendable () -> NeighbourTable?) {
        self.now = now
        self.read = read
    }

    /// Never fails and never blocks: the kernel is asked on another thread, once for all that wait.
    func linkAddress(of remote: SocketAddress?, on eventLoop: any EventLoop) -> EventLoopFuture<LinkAddress?> {
        guard let (address, interface) = remote?.neighbourAddress else { return eventLoop.makeSucceededFuture(nil) }
        let question = Question(address: address, interface: interface, answer: eventLoop.makePromise())
        let (known, mustRead) = state.withLock { state -> (LinkAddress?, Bool) in
            let isFresh = state.readAt.map { now() - $0 < Self.freshness } ?? false
            if isFresh, let known = state.table.linkAddress(of: address, interface: interface) { return (known, false) }
            state.waiting.append(question)
            defer { state.isReading = true }
            return (nil, !state.isReading)
        }
        if let known { question.answer.succeed(known) }
        if mustRead { readForAll() }
        return question.answer.futureResult
    }

    /// As far as is known without asking anybody.
    func knownLinkAddress(of remote: SocketAddress?) -> LinkAddress? {
        guard let (address, interface) = remote?.neighbourAddress else { return nil }
        return state.withLock { $0.table.linkAddress(of: address, interface: interface) }
    }

    private func readForAll() {
        NIOThreadPool.singleton.submit { [self] _ in
            let questions = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            let table = read() ?? NeighbourTable()
            let mustReadAgain = state.withLock { state in
                state.table = table
                state.readAt = now()
                state.isReading = !state.waiting.isEmpty
                return state.isReading
            }
            for question in questions {
                question.answer.succeed(table.linkAddress(of: question.address, interface: question.interface))
            }
            if mustReadAgain { readForAll() }
        }
    }
}

extension SocketAddress {
    /// The bytes of an address, and of which interface it is where every link has it anew; nil for this host by loopback
    /// or a socket file.
    fileprivate var neighbourAddress: (address: [UInt8], interface: UInt32?)? {
        switch self {
        case .v4(let ipv4):
            let address = withUnsafeBytes(of: ipv4.address) { Array($0[4..<8]) }
            return address[0] == 127 ? nil : (address, nil)
        case .v6(let ipv6):
            let (address, scope) = withUnsafeBytes(of: ipv6.address) {
                (Array($0[8..<24]), $0.loadUnaligned(fromByteOffset: 24, as: UInt32.self))
            }
            if address.starts(with: Self.mappedPrefix) {
                return address[12] == 127 ? nil : (Array(address[12...]), nil)
            }
            if address.dropLast().allSatisfy({ $0 == 0 }) { return nil }
            let isLinkLocal = address[0] == 0xfe && address[1] & 0xc0 == 0x80
            return (address, isLinkLocal ? scope : nil)
        case .unixDomainSocket: return nil
        }
    }

    private static let mappedPrefix: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
}

/// Who is at the other end of a connection, as far as limits are concerned.
package enum Peer: Hashable, Sendable {
    /// This host: by loopback, by a socket file, or by one of its own addresses.
    case host
    /// Another host. What one limit is held for: an IPv4 address, the /64 of an IPv6 address from elsewhere, since every
    /// household has a whole one, and an IPv6 address alone where it shares our own /64 or link with all devices of this
    /// household.
    case stranger(IPNetwork)

    /// Tells by the addresses of both ends. A connection without them is already gone; it counts as a stranger's.
    package static func classify(remote: SocketAddress?, local: SocketAddress?) -> Peer {
        if case .unixDomainSocket = local { return .host }
        guard let peer = remote.flatMap({ IPAddress($0) }) else { return .stranger(.household(of: .unspecified)) }
        let ours = local.flatMap { IPAddress($0) }
        // The kernel takes no packet from outside that claims to come from an address of this host.
        if peer.isLoopback || peer == ours { return .host }
        return .stranger(peer.sharesLink(with: ours) ? IPNetwork(peer) : .household(of: peer))
    }
}

extension IPAddress {
    /// Link-local IPv6, or both IPv6 and of one /64: where each device has addresses of its own.
    package func sharesLink(with other: IPAddress?) -> Bool {
        guard !isIPv4 else { return false }
        return isLinkLocal || other.map { !$0.isIPv4 && $0.high == high } ?? false
    }
}
