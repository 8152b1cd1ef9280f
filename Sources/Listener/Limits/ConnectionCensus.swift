import NIOCore
import Synchronization

/// Counts the open connections of all listeners of the process, and says which others may be opened.
package final class ConnectionCensus: Sendable {
    /// Open connections at one moment.
    package struct Snapshot: Equatable, Sendable {
        package var strangers = 0
        package var host = 0
        package var overflow = 0
        /// Of how many addresses of other hosts (IPv6: /64s) there are connections.
        package var networks = 0
    }

    typealias Classify = @Sendable (_ remote: SocketAddress?, _ local: SocketAddress?) -> Peer

    private struct State {
        var lanes: [Lane: Int] = [:]
        var networks: [Peer.Network: Int] = [:]
        var seats: [UInt64: Seat] = [:]
        var lastSeat: UInt64 = 0
        var strangersEver = 0
    }

    package let traffic = TrafficTally()
    private let limits: ListenerLimits
    private let classify: Classify
    private let state = Mutex(State())

    package convenience init(limits: ListenerLimits) {
        self.init(limits: limits, classify: Peer.classify)
    }

    /// - Parameter classify: tells by the addresses of both ends who the peer is
    init(limits: ListenerLimits, classify: @escaping Classify) {
        self.limits = limits
        self.classify = classify
    }

    /// Connections from other hosts since the start, refused ones too: whether any device has ever reached this host.
    package var strangerCount: Int { state.withLock { $0.strangersEver } }

    package var snapshot: Snapshot {
        state.withLock { state in
            Snapshot(
                strangers: state.lanes[.strangers, default: 0], host: state.lanes[.host, default: 0],
                overflow: state.lanes[.overflow, default: 0], networks: state.networks.count)
        }
    }
}

extension ConnectionCensus {
    enum Lane: Hashable {
        case strangers
        case host
        /// Over the limit: one answer, and only about health.
        case overflow
    }

    /// A connection's place, which it gives back when it closes.
    struct Seat {
        let lane: Lane
        fileprivate let id: UInt64
        fileprivate let network: Peer.Network?
    }

    /// - Parameter isOverflow: whatever seats are free, this connection gets one answer only
    /// - Returns: nil when the connection is one too many and has to be closed
    func admit(remote: SocketAddress?, local: SocketAddress?, isOverflow: Bool = false) -> Seat? {
        let network: Peer.Network? =
            switch classify(remote, local) {
            case .host: nil
            case .stranger(let network): network
            }
        return state.withLock { admit(network, isOverflow: isOverflow, in: &$0) }
    }

    /// Giving a seat back again does nothing.
    func release(_ seat: Seat) {
        state.withLock { state in
            guard state.seats.removeValue(forKey: seat.id) != nil else { return }
            state.lanes[seat.lane, default: 0] -= 1
            guard let network = seat.network, let count = state.networks[network] else { return }
            state.networks[network] = count > 1 ? count - 1 : nil
        }
    }

    private func admit(_ network: Peer.Network?, isOverflow: Bool, in state: inout State) -> Seat? {
        if let network {
            state.strangersEver += 1
            guard state.networks[network, default: 0] < limits.addressConnectionCount else { return nil }
        }
        let ordinary: Lane = network == nil ? .host : .strangers
        guard let lane = freeLane(isOverflow ? .overflow : ordinary, in: state) else { return nil }
        state.lastSeat += 1
        let seat = Seat(lane: lane, id: state.lastSeat, network: network)
        state.seats[seat.id] = seat
        state.lanes[lane, default: 0] += 1
        if let network { state.networks[network, default: 0] += 1 }
        return seat
    }

    private func freeLane(_ lane: Lane, in state: State) -> Lane? {
        let limit =
            switch lane {
            case .strangers: limits.strangerConnectionCount
            case .host: limits.hostConnectionCount
            case .overflow: limits.overflowConnectionCount
            }
        if state.lanes[lane, default: 0] < limit { return lane }
        return lane == .overflow ? nil : freeLane(.overflow, in: state)
    }
}
