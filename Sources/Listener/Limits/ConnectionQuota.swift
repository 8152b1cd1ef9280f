import Bytes
import NIOCore

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
