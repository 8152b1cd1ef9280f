/// Whom pictures are made for: the turn goes from one to the next.
package struct PictureRequester: Hashable, Sendable {
    /// Names a vault, or whoever the guest is.
    package let key: [UInt8]
    package let isGuest: Bool

    package init(key: [UInt8], isGuest: Bool = false) {
        self.key = key
        self.isGuest = isGuest
    }
}

/// Who may work and who waits. Pictures that somebody waits for go before others, vaults before guests, and the turn
/// goes from one requester to the next, each in the order of coming. Decides only.
///
/// - Guests leave one slot to vaults, where there are two. Where there is one, a guest's picture gives it up to one that
///   a vault waits for.
/// - A picture that nobody waits for gives its slot up to one that somebody waits for, a vault's not to a guest's.
/// - What takes long is set aside for another requester of its kind: it goes on without a slot, and whoever it is for gets
///   no other one meanwhile.
struct SlotQueue {
    private struct Waiter {
        let number: Int
        let requester: PictureRequester
        let isAwaited: Bool
        let resume: @Sendable (Bool) -> Void
    }

    private struct Job {
        let requester: PictureRequester
        let isAwaited: Bool
        var isLong = false
        var isAside = false
        var isDisplaced = false
    }

    private let count: Int
    private var waiters: [Waiter] = []
    private var running: [Int: Job] = [:]
    private var lastNumber = 0
    /// When whose turn it was, by the number of the job.
    private var lastTurns: [PictureRequester: Int] = [:]
    private var turns = 0
    /// Whether guests are next, where their wishes and what vaults need without being waited for meet.
    private var areGuestsNext = true
    private var isClosed = false

    init(count: Int) { self.count = max(1, count) }

    /// Pictures that somebody waits for, and that wait for a slot.
    var awaitedCount: Int { waiters.count { $0.isAwaited } }
    /// Those at work at this moment.
    var runningNumbers: Set<Int> { Set(running.keys) }

    func isDisplaced(_ number: Int) -> Bool { running[number]?.isDisplaced ?? false }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Calls `resume` once: with true when a slot is taken, with false when there will be none.
    /// - Returns: who has to give up the slot for it.
    mutating func take(
        _ number: Int, for requester: PictureRequester, isAwaited: Bool, _ resume: @escaping @Sendable (Bool) -> Void
    ) -> Int? {
        guard !isClosed else {
            resume(false)
            return nil
        }
        waiters.append(Waiter(number: number, requester: requester, isAwaited: isAwaited, resume: resume))
        grant()
        guard isAwaited, waiters.contains(where: { $0.number == number }) else { return nil }
        return displace(for: requester)
    }

    /// Does nothing for whoever has a slot already.
    mutating func giveUp(_ number: Int) {
        guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
        waiters.remove(at: index).resume(false)
    }

    mutating func giveBack(_ number: Int) {
        running[number] = nil
        grant()
    }

    /// Those of them that still are at work have been for long.
    mutating func noteLong(_ numbers: Set<Int>) {
        for number in numbers { running[number]?.isLong = true }
        grant()
    }

    mutating func close() {
        isClosed = true
        for waiter in waiters { waiter.resume(false) }
        waiters = []
    }

    // MARK: Decisions

    private var taken: Int { running.values.count { !$0.isAside } }

    private mutating func grant() {
        while let index = next() {
            let waiter = waiters[index]
            guard taken < count || setAside(for: waiter) else { return }
            waiters.remove(at: index)
            running[waiter.number] = Job(requester: waiter.requester, isAwaited: waiter.isAwaited)
            turns += 1
            lastTurns[waiter.requester] = turns
            if lastTurns.count > 1024 { lastTurns = [waiter.requester: turns] }
            if waiter.isAwaited == waiter.requester.isGuest { areGuestsNext = !waiter.requester.isGuest }
            waiter.resume(true)
        }
    }

    /// Whose turn it is; nil when nobody may have a slot.
    private func next() -> Int? {
        let kinds =
            areGuestsNext
            ? [(true, false), (true, true), (false, false)] : [(true, false), (false, false), (true, true)]
        for (isAwaited, isGuest) in kinds + [(false, true)] {
            let candidates = waiters.indices.filter { index in
                let waiter = waiters[index]
                return waiter.isAwaited == isAwaited && waiter.requester.isGuest == isGuest && mayHave(waiter)
            }
            let next = candidates.min { one, other in
                let (first, second) = (waiters[one], waiters[other])
                return (lastTurns[first.requester] ?? 0, first.number) < (
                    lastTurns[second.requester] ?? 0, second.number
                )
            }
            if let next { return next }
        }
        return nil
    }

    private func mayHave(_ waiter: Waiter) -> Bool {
        if running.values.contains(where: { $0.isAside && $0.requester == waiter.requester }) { return false }
        guard waiter.requester.isGuest else { return true }
        return running.values.count { $0.requester.isGuest && !$0.isAside } < max(1, count - 1)
    }

    /// - Returns: whether a slot is free by that.
    private mutating func setAside(for waiter: Waiter) -> Bool {
        let isGuest = waiter.requester.isGuest
        guard waiter.isAwaited, !running.values.contains(where: { $0.isAside && $0.requester.isGuest == isGuest })
        else {
            return false
        }
        let long = running.filter { _, job in
            job.isLong && job.requester.isGuest == isGuest && job.requester != waiter.requester
        }
        guard let oldest = long.keys.min() else { return false }
        running[oldest]?.isAside = true
        return true
    }

    private mutating func displace(for requester: PictureRequester) -> Int? {
        let jobs = running.filter { !$0.value.isAside && !$0.value.isDisplaced }
        // One that gives way already is enough for one who waits.
        guard running.values.count(where: \.isDisplaced) < awaitedCount else { return nil }
        let patientGuests = jobs.filter { $0.value.requester.isGuest && !$0.value.isAwaited }
        let patientVaults = jobs.filter { !$0.value.requester.isGuest && !$0.value.isAwaited }
        let guests = jobs.filter { $0.value.requester.isGuest }
        let victims = requester.isGuest ? [patientGuests] : [patientGuests, patientVaults, guests]
        guard let victim = victims.first(where: { !$0.isEmpty })?.keys.max() else { return nil }
        running[victim]?.isDisplaced = true
        return victim
    }
}
