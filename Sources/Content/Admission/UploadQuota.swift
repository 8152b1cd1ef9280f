/// By whom what is scarce is shared: a vault, or the neighbour whose guests' spaces they are.
package struct Holder: Hashable, Sendable {
    package var isGuest = false
    package var key: [UInt8] = []

    package init(isGuest: Bool = false, key: [UInt8] = []) {
        self.isGuest = isGuest
        self.key = key
    }
}

/// Who may upload at the same time. Half of the places are for vaults alone. When they are taken, whoever holds least is
/// let in, and the slowest upload of whoever holds most gives way. Decides only.
struct UploadQuota: Sendable {
    /// A place that is taken.
    package struct Seat: Sendable {
        package let number: Int
        package let holder: Holder
        /// Tells the holder's sessions apart.
        package let session: ObjectIdentifier
        /// Bytes in a second so far; infinite for one that has only begun.
        package let pace: Double
    }

    package enum Verdict: Equatable, Sendable {
        case free
        /// Once this one has given way.
        case insteadOf(number: Int)
        case none
    }

    let count: Int

    /// Uploads that all guests together may have in flight.
    var guestCount: Int { max(1, count / 2) }
    /// Uploads that one holder among the guests may have in flight.
    var countPerGuest: Int { max(1, guestCount / 2) }

    func verdict(for holder: Holder, _ session: ObjectIdentifier, among seats: [Seat]) -> Verdict {
        let own = seats.filter { $0.holder == holder }
        let guests = seats.filter(\.holder.isGuest)
        if holder.isGuest {
            if own.count >= countPerGuest { return instead(ofSessionIn: own, for: session) }
            if guests.count < guestCount, seats.count < count { return .free }
            return instead(ofHolderIn: guests, besides: holder, holding: own.count) ?? .none
        }
        if seats.count < count { return .free }
        return instead(ofHolderIn: seats, besides: holder, holding: own.count)
            ?? instead(ofHolderIn: guests, besides: holder, holding: -1)
            ?? instead(ofSessionIn: own, for: session)
    }

    /// One of whoever holds most, if that still is no less than what the newcomer then has.
    private func instead(ofHolderIn seats: [Seat], besides holder: Holder, holding own: Int) -> Verdict? {
        let others = Dictionary(grouping: seats.filter { $0.holder != holder }, by: \.holder)
        // Of two that hold as much, the guest.
        let most = others.max { ($0.value.count, $0.key.isGuest ? 1 : 0) < ($1.value.count, $1.key.isGuest ? 1 : 0) }
        guard let most, most.value.count >= own + 2 else { return nil }
        return slowest(of: mostOfOneSession(most.value))
    }

    private func instead(ofSessionIn seats: [Seat], for session: ObjectIdentifier) -> Verdict {
        let most = mostOfOneSession(seats.filter { $0.session != session })
        guard most.count >= seats.count(where: { $0.session == session }) + 2 else { return .none }
        return slowest(of: most) ?? .none
    }

    private func mostOfOneSession(_ seats: [Seat]) -> [Seat] {
        Dictionary(grouping: seats, by: \.session).values.max { $0.count < $1.count } ?? []
    }

    private func slowest(of seats: [Seat]) -> Verdict? {
        seats.min { ($0.pace, $0.number) < ($1.pace, $1.number) }.map { .insteadOf(number: $0.number) }
    }
}
