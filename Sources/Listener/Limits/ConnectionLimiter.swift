import Bytes
import NIOCore
import Synchronization

/// Counts the open connections of all listeners of the process, and says which others may be opened, and which end for
/// that.
package final class ConnectionLimiter: Sendable {
    /// Open connections at one moment.
    package struct Snapshot: Equatable, Sendable {
        package var strangers = 0
        package var host = 0
        package var overflow = 0
        /// How many addresses of other hosts (IPv6: /64s) have connections.
        package var networks = 0
    }

    typealias Classify = @Sendable (_ remote: SocketAddress?, _ local: SocketAddress?) -> Peer

    fileprivate struct State {
        var lanes: [Lane: ConnectionQuota]
        var closings: [UInt64: @Sendable () -> Void] = [:]
        var lastSeat: UInt64 = 0
        var strangersEver = 0
        var displaced: UInt64 = 0
        var refused: UInt64 = 0
    }

    package let traffic = TrafficTally()
    /// The rates of connections that come, of TLS handshakes, and of requests.
    let arrivals: RateLimiter
    let handshakes: RateLimiter
    let requests: RateLimiter
    private let lastArrival = Atomic<UInt64>(0)
    private let classify: Classify
    private let state: Mutex<State>

    package convenience init(limits: ListenerLimits) {
        self.init(limits: limits, classify: Peer.classify)
    }

    /// - Parameter classify: tells by the addresses of both ends who the peer is
    init(limits: ListenerLimits, classify: @escaping Classify) {
        self.classify = classify
        arrivals = RateLimiter(limits.arrivalPace)
        handshakes = RateLimiter(limits.handshakePace)
        requests = RateLimiter(limits.requestPace)
        state = Mutex(State(lanes: limits.lanes.mapValues(ConnectionQuota.init)))
    }

    /// Connections from other hosts since the start, refused ones too: whether any device has ever reached this host.
    package var strangerCount: Int { state.withLock { $0.strangersEver } }

    /// Connections since the start that ended so that others could begin.
    package var displacedCount: UInt64 { state.withLock { $0.displaced } }
    /// Connections since the start for which there was no room at all.
    package var refusedCount: UInt64 { state.withLock { $0.refused } }

    package var snapshot: Snapshot {
        state.withLock { state in
            let counts = state.lanes.mapValues(\.count)
            let addresses = state.lanes.values.flatMap(\.addresses)
            return Snapshot(
                strangers: counts[.strangers] ?? 0, host: counts[.host] ?? 0, overflow: counts[.overflow] ?? 0,
                networks: Set(addresses).subtracting([Self.hostNetwork]).count)
        }
    }

    fileprivate static let hostNetwork = IPNetwork(.ipv4(127, 0, 0, 1))
}

extension ConnectionLimiter {
    enum Lane: Hashable, CaseIterable {
        case strangers
        case host
        /// Over the limit: one answer, and only about health.
        case overflow
    }

    /// A connection's place, which it gives back when it closes.
    struct Seat {
        let lane: Lane
        /// For whom it is held; nil for this host.
        let visitor: ConnectionQuota.Visitor?
        let id: UInt64
    }

    /// Whose a connection is; nil where it is this host's own.
    func visitor(
        remote: SocketAddress?, local: SocketAddress?, device: Neighbours.LinkAddress?
    ) -> ConnectionQuota.Visitor? {
        switch classify(remote, local) {
        case .host: nil
        case .stranger(let network): ConnectionQuota.Visitor(address: network, device: device)
        }
    }

    /// A number for a connection that asks when it may come in: those of all listeners stand in one line.
    func nextArrivalID() -> UInt64 { lastArrival.add(1, ordering: .relaxed).newValue }

    /// A connection was closed before it could ask for a seat.
    func noteRefusal() { state.withLock { $0.refused += 1 } }

    /// - Parameters:
    ///   - device: the link-layer address of the other end, where that is known
    ///   - isOverflow: whatever seats are free, this connection gets one answer only
    ///   - giveWay: closes the connection, on any thread; called at most once, while others are let in
    /// - Returns: nil when the connection is one too many and has to be closed
    func admit(
        remote: SocketAddress?, local: SocketAddress?, device: Neighbours.LinkAddress? = nil, isOverflow: Bool = false,
        giveWay: @escaping @Sendable () -> Void = {}
    ) -> Seat? {
        let visitor = visitor(remote: remote, local: local, device: device)
        let (seat, closing) = state.withLock { state in
            if visitor != nil { state.strangersEver += 1 }
            let ordinary: Lane = visitor == nil ? .host : .strangers
            let admitted = state.admit(visitor, lanes: isOverflow ? [.overflow] : [ordinary, .overflow])
            if let admitted { state.closings[admitted.seat.id] = giveWay }
            return (admitted?.seat, admitted?.closing)
        }
        closing?()
        return seat
    }

    /// Giving a seat back again does nothing.
    func release(_ seat: Seat) {
        state.withLock { state in
            state.lanes[seat.lane]?.leave(seat.id)
            state.closings[seat.id] = nil
        }
        handshakes.leave(seat.id)
        requests.leave(seat.id)
    }

    /// A request has begun there, or the last one has its answer.
    func note(isInRequest: Bool, _ seat: Seat) {
        state.withLock { $0.lanes[seat.lane]?.note(isInRequest: isInRequest, seat.id, now: .now()) }
    }

    /// A request came by it that named an open vault's session.
    func noteVault(_ seat: Seat) {
        state.withLock { $0.lanes[seat.lane]?.noteVault(seat.id) }
    }
}

extension ConnectionLimiter.State {
    /// Takes a seat in the first of these lanes that has one.
    fileprivate mutating func admit(
        _ visitor: ConnectionQuota.Visitor?, lanes wanted: [ConnectionLimiter.Lane]
    ) -> (seat: ConnectionLimiter.Seat, closing: (@Sendable () -> Void)?)? {
        lastSeat += 1
        for lane in wanted {
            let admission = lanes[lane]?.admit(
                visitor ?? ConnectionQuota.Visitor(address: ConnectionLimiter.hostNetwork), as: lastSeat, now: .now())
            guard case .seated(let victim) = admission else { continue }
            if victim != nil { displaced += 1 }
            let closing = victim.flatMap { closings.removeValue(forKey: $0) }
            return (ConnectionLimiter.Seat(lane: lane, visitor: visitor, id: lastSeat), closing)
        }
        refused += 1
        return nil
    }
}

extension ListenerLimits {
    fileprivate var lanes: [ConnectionLimiter.Lane: ConnectionQuota.Limits] {
        [
            .strangers: ConnectionQuota.Limits(
                total: strangerConnectionCount, reserved: strangerConnectionCount / 4, device: deviceConnectionCount,
                address: addressConnectionCount),
            .host: ConnectionQuota.Limits(
                total: hostConnectionCount, device: hostConnectionCount, address: hostConnectionCount),
            .overflow: ConnectionQuota.Limits(
                total: overflowConnectionCount, device: overflowConnectionCount, address: overflowConnectionCount),
        ]
    }
}
