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

/// Who has which of a number of seats, and who gives way to another when they are taken. Pure.
///
/// A seat is never lost to somebody who has more: first the longest idle one goes of whoever holds most. One in the
/// middle of a request goes only where its holder has more than a fair share. Those that have shown an open vault keep a
/// part of all seats, which others cannot take.
struct ConnectionQuota {
    struct Limits: Equatable {
        var total: Int
        /// How many of these others must leave to those that have shown an open vault.
        var reserved = 0
        var device: Int
        var address: Int
    }

    /// For whom seats are counted: a device of this host's own links, by however many addresses it comes, or else an
    /// address.
    enum Holder: Hashable {
        case device(Neighbours.LinkAddress)
        case address(IPNetwork)
    }

    struct Visitor: Hashable {
        let holder: Holder
        let address: IPNetwork

        init(address: IPNetwork, device: Neighbours.LinkAddress? = nil) {
            holder = device.map(Holder.device) ?? .address(address)
            self.address = address
        }

        var device: Neighbours.LinkAddress? {
            if case .device(let address) = holder { address } else { nil }
        }
    }

    typealias SeatID = UInt64

    private struct Seat {
        let visitor: Visitor
        /// When its request began, or else when it was last in one or came.
        var since: NIODeadline
        var isInRequest = false
        var hasShownVault = false
    }

    enum Admission: Equatable {
        /// There is a seat, once this one has given way.
        case seated(insteadOf: SeatID?)
        case refused
    }

    private let limits: Limits
    private var seats: [SeatID: Seat] = [:]
    private var holders: [Holder: [IPNetwork: Set<SeatID>]] = [:]
    private var vaultCount = 0

    init(limits: Limits) {
        self.limits = limits
    }

    var count: Int { seats.count }
    var addresses: [IPNetwork] { holders.values.flatMap(\.keys) }

    mutating func admit(_ visitor: Visitor, as id: SeatID, now: NIODeadline) -> Admission {
        let victim: SeatID?
        switch bound(of: visitor) {
        case nil: victim = nil
        case .some(let (groups, share, sparesVaults)):
            victim = giveWay(groups, share: share, sparesVaults: sparesVaults)
            guard victim != nil else { return .refused }
        }
        if let victim { leave(victim) }
        seats[id] = Seat(visitor: visitor, since: now)
        holders[visitor.holder, default: [:]][visitor.address, default: []].insert(id)
        return .seated(insteadOf: victim)
    }

    /// Does nothing for a seat that is already given back.
    mutating func leave(_ id: SeatID) {
        guard let seat = seats.removeValue(forKey: id) else { return }
        if seat.hasShownVault { vaultCount -= 1 }
        let (holder, address) = (seat.visitor.holder, seat.visitor.address)
        holders[holder]?[address]?.remove(id)
        if holders[holder]?[address]?.isEmpty == true { holders[holder]?[address] = nil }
        if holders[holder]?.isEmpty == true { holders[holder] = nil }
    }

    mutating func note(isInRequest: Bool, _ id: SeatID, now: NIODeadline) {
        seats[id]?.isInRequest = isInRequest
        seats[id]?.since = now
    }

    mutating func noteVault(_ id: SeatID) {
        guard seats[id]?.hasShownVault == false else { return }
        seats[id]?.hasShownVault = true
        vaultCount += 1
    }
}

extension ConnectionQuota {
    /// The seats of one holder, or of one address, with as many as it would hold with the visitor.
    private struct Group {
        let seats: [SeatID]
        let count: Int
    }

    /// What keeps the visitor out: the narrowest limit that is reached, or nil.
    private func bound(of visitor: Visitor) -> (groups: [Group], share: Int, sparesVaults: Bool)? {
        let own = holders[visitor.holder] ?? [:]
        if let seats = own[visitor.address], seats.count >= limits.address {
            return ([Group(seats: Array(seats), count: 0)], limits.address, false)
        }
        if case .device = visitor.holder, own.values.reduce(0, { $0 + $1.count }) >= limits.device {
            let groups = own.map { group([$1], isVisitors: $0 == visitor.address) }
            return (groups, limits.device / (own.count + (own[visitor.address] == nil ? 1 : 0)), false)
        }
        guard seats.count >= limits.total || seats.count - vaultCount >= limits.total - limits.reserved else {
            return nil
        }
        let groups = holders.map { group(Array($1.values), isVisitors: $0 == visitor.holder) }
        return (groups, limits.total / (holders.count + (own.isEmpty ? 1 : 0)), vaultCount <= limits.reserved)
    }

    private func group(_ sets: [Set<SeatID>], isVisitors: Bool) -> Group {
        let seats = sets.flatMap(\.self)
        return Group(seats: seats, count: seats.count + (isVisitors ? 1 : 0))
    }

    /// The oldest of whoever has most: an idle one where there is any, those that have shown no vault before others.
    private func giveWay(_ groups: [Group], share: Int, sparesVaults: Bool) -> SeatID? {
        groups.compactMap { group -> (count: Int, seat: SeatID, since: NIODeadline)? in
            let isOverShare = group.count > max(1, share)
            for isInRequest in isOverShare ? [false, true] : [false] {
                for hasShownVault in sparesVaults ? [false] : [false, true] {
                    guard let found = oldest(group.seats, isInRequest, hasShownVault) else { continue }
                    return (group.count, found.id, found.since)
                }
            }
            return nil
        }
        .min { ($1.count, $0.since) < ($0.count, $1.since) }?.seat
    }

    private func oldest(
        _ ids: [SeatID], _ isInRequest: Bool, _ hasShownVault: Bool
    ) -> (id: SeatID, since: NIODeadline)? {
        ids.compactMap { id in seats[id].map { (id, $0) } }
            .filter { $0.1.isInRequest == isInRequest && $0.1.hasShownVault == hasShownVault }
            .min { $0.1.since < $1.1.since }
            .map { ($0.0, $0.1.since) }
    }
}
