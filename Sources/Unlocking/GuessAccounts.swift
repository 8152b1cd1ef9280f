/// Who guesses, as far as the throttle tells guessers apart. Keyed hashes, no addresses.
struct Guesser: Hashable, Sendable {
    /// Of the device's cookie, else of the address: what failures slow down.
    let key: [UInt8]
    /// Of the device at the other end of the wire where the kernel knows it, else of the address; another one for those
    /// there that opened a vault before, which strangers behind the same router must not hold up.
    let neighbour: [UInt8]
    /// Whether it is a device that opened a vault before.
    let isKnownDevice: Bool
    /// Where it guesses, if that is one of many places which whoever guesses has to know before.
    var place: [UInt8]? = nil
}

/// What guesses have cost so far, and who may make the next one. Pure: the clock is an argument, and what is written to
/// disk is for the caller to do.
///
/// Failures slow down whoever made them. Besides, budgets bound what many can do together: each neighbour has one, and
/// all strangers have one; devices that opened the same vault in this run share one, so that whoever may open one vault
/// cannot collect cookies of devices and guess at another with all of them. Nor can whoever has many vaults: the
/// neighbour's budget holds for devices, too, and leaves most of what those share of which nobody knows what they open.
/// In the same way all who guess at one place leave most of what strangers have to those who guess elsewhere.
/// Where others have used up a budget, whoever has not failed lately is let in out of a small one for newcomers, of which
/// a neighbour has a few; those are part of the hundred that it has.
struct GuessAccounts: Sendable {
    enum Budget: Hashable, Sendable {
        case strangers
        case neighbour([UInt8])
        /// Devices of which this run does not know what they open.
        case devices
        /// Devices that opened one vault in this run. In memory only, like the key by which it goes.
        case household([UInt8])
        /// Whoever guesses at one place. In memory only, so that the disk does not tell how many there are.
        case place([UInt8])
        case newcomers
        /// What of these one neighbour may have.
        case newcomersOf([UInt8])

        /// Failures in an hour.
        var capacity: Double {
            switch self {
            case .strangers, .devices: 300
            case .household, .place: 100
            // Together a hundred.
            case .neighbour: 95
            case .newcomersOf: 5
            case .newcomers: 20
            }
        }

        /// Whose it is is known only in the run in which it is made.
        var isOfNeighbour: Bool {
            switch self {
            case .neighbour, .newcomersOf: true
            case .strangers, .devices, .household, .place, .newcomers: false
            }
        }

        /// The same for all neighbours: of those that opened a vault before, or of the others.
        fileprivate var kind: Budget {
            switch self {
            case .neighbour(let hash): .neighbour(hash.suffix(1))
            case .newcomersOf(let hash): .newcomersOf(hash.suffix(1))
            case .strangers, .devices, .household, .place, .newcomers: self
            }
        }

        fileprivate var isHousehold: Bool {
            if case .household = self { true } else { false }
        }
    }

    /// What one guess was booked to, to be taken back.
    struct Charge: Sendable {
        let guesser: Guesser
        let budgets: [Budget]
    }

    /// What came of a guess.
    package enum Outcome: Sendable {
        case right, wrong
        /// Nothing was compared, or what was compared is not what failed.
        case noGuess
    }

    enum Standing: Equatable, Sendable {
        case free
        /// Until one of the same guesser's that is under way has come to its end.
        case inLine
        case mustWait(Duration)
    }

    private(set) var attempts: [[UInt8]: Attempts] = [:]
    /// Of the address that had failed most often in the run before. Which one that was nobody knows any more, so it holds
    /// for all that have not guessed in this run.
    private var inherited: Attempts?
    /// In the same way the least that a neighbour had left, by kind.
    private var inheritedBuckets: [Budget: TokenBucket] = [:]
    private(set) var buckets: [Budget: TokenBucket] = [:]
    /// Guesses of this house that were wrong, ever; those under way count.
    private(set) var wrongCount: UInt64
    private var underWay: [[UInt8]: Int] = [:]
    private var households = KnownHouseholds()

    init(wrongCount: UInt64 = 0) { self.wrongCount = wrongCount }

    /// Of which it is known that they were wrong.
    var knownWrongCount: UInt64 { wrongCount - min(wrongCount, UInt64(underWay.values.reduce(0, +))) }

    // MARK: What stands on disk

    mutating func restore(_ record: Attempts.Record, of key: [UInt8], now: ContinuousClock.Instant) {
        attempts[key] = Attempts(record, now: now)
    }

    mutating func inherit(_ record: Attempts.Record, now: ContinuousClock.Instant) {
        let attempts = Attempts(record, now: now)
        if attempts.failures > inherited?.failures ?? 0 { inherited = attempts }
    }

    mutating func inherit(_ budget: Budget, tokens: Double, now: ContinuousClock.Instant) {
        let bucket = TokenBucket(capacity: budget.capacity, tokens: tokens, now: now)
        if bucket.tokens < inheritedBuckets[budget.kind]?.tokens ?? .infinity { inheritedBuckets[budget.kind] = bucket }
    }

    /// What is known of a guesser, or holds for it.
    private func known(_ guesser: Guesser) -> Attempts? {
        attempts[guesser.key] ?? (guesser.isKnownDevice ? nil : inherited)
    }

    /// What is to stand there of a guesser; nil when it is nothing.
    func record(of key: [UInt8]) -> Attempts.Record? {
        attempts[key]?.record(underWay: underWay[key, default: 0])
    }

    mutating func restore(_ budget: Budget, tokens: Double, now: ContinuousClock.Instant) {
        buckets[budget] = TokenBucket(capacity: budget.capacity, tokens: tokens, now: now)
    }

    // MARK: Guesses

    /// Whether the next guess may be made, budgets apart.
    mutating func standing(of guesser: Guesser, now: ContinuousClock.Instant) -> Standing {
        guard var own = known(guesser) else { return .free }
        own.forget(now: now)
        let wait = own.wait(now: now)
        guard wait > .zero else { return .free }
        // Several right ones that come at once must not be taken for failures of each other.
        let underWay = underWay[guesser.key, default: 0]
        return underWay > 0 && own.failures - underWay <= Attempts.free ? .inLine : .mustWait(wait)
    }

    /// Books a guess before anything is compared.
    mutating func charge(_ guesser: Guesser, now: ContinuousClock.Instant) -> Result<Charge, Wait> {
        var budgets = budgets(of: guesser)
        let wait = wait(for: budgets, now: now)
        if wait > .zero {
            budgets = budgetsOfNewcomer(guesser, now: now)
            // Others have used it up; whoever has not failed lately is none of them.
            guard (known(guesser)?.failures ?? 0) == 0,
                self.wait(for: budgets, now: now) == .zero
            else { return .failure(Wait(duration: wait)) }
        }
        if budgets.contains(where: \.isHousehold), self.wait(for: [.devices], now: now) == .zero {
            // After a restart nobody knows what a device opens; what it used up stays used up.
            budgets.append(.devices)
        }
        for budget in budgets { _ = buckets[budget]?.take(now: now) }
        var own = known(guesser) ?? Attempts(now: now)
        own.record(now: now)
        attempts[guesser.key] = own
        underWay[guesser.key, default: 0] += 1
        wrongCount += 1
        return .success(Charge(guesser: guesser, budgets: budgets))
    }

    struct Wait: Error {
        let duration: Duration
    }

    /// The guess has come to its end.
    mutating func settle(_ charge: Charge, as outcome: Outcome) {
        let key = charge.guesser.key
        underWay[key] = underWay[key].flatMap { $0 > 1 ? $0 - 1 : nil }
        switch outcome {
        case .wrong: return
        case .right: attempts[key]?.succeed()
        case .noGuess: attempts[key]?.takeBack()
        }
        for budget in charge.budgets { buckets[budget]?.giveBack() }
        wrongCount -= min(wrongCount, 1)
    }

    /// A device has opened the vault of this household, at that neighbour.
    mutating func note(device: [UInt8], opened household: [UInt8], at neighbour: [UInt8]) {
        households.note(device, opened: household, at: neighbour)
    }

    /// - Returns: what stands for nothing any more: failures that are an hour old, budgets that are full again.
    mutating func forget(now: ContinuousClock.Instant) -> (keys: [[UInt8]], budgets: [Budget]) {
        var gone: (keys: [[UInt8]], budgets: [Budget]) = ([], [])
        for (key, var own) in attempts where underWay[key] == nil {
            own.forget(now: now)
            attempts[key] = own.failures > 0 ? own : nil
            if own.failures == 0 { gone.keys.append(key) }
        }
        for kind in Array(inheritedBuckets.keys) {
            inheritedBuckets[kind]?.fill(now: now)
            if inheritedBuckets[kind]?.isFull == true { inheritedBuckets[kind] = nil }
        }
        inherited?.forget(now: now)
        if inherited?.failures == 0 { inherited = nil }
        for budget in Array(buckets.keys) {
            buckets[budget]?.fill(now: now)
            guard buckets[budget]?.isFull == true else { continue }
            buckets[budget] = nil
            gone.budgets.append(budget)
        }
        return gone
    }

    private func budgets(of guesser: Guesser) -> [Budget] {
        sharedBudgets(of: guesser) + [.neighbour(guesser.neighbour)]
    }

    /// With other neighbours.
    private func sharedBudgets(of guesser: Guesser) -> [Budget] {
        let place = guesser.place.map { [Budget.place($0)] } ?? []
        guard guesser.isKnownDevice else { return [.strangers] + place }
        return [households.household(of: guesser.key).map(Budget.household) ?? .devices] + place
    }

    /// What is charged in the place of budgets that are used up. Where that is the neighbour's own alone, others have no
    /// less for it.
    private mutating func budgetsOfNewcomer(_ guesser: Guesser, now: ContinuousClock.Instant) -> [Budget] {
        let shared = sharedBudgets(of: guesser)
        return [.newcomersOf(guesser.neighbour)] + (wait(for: shared, now: now) > .zero ? [.newcomers] : shared)
    }

    /// Makes those that are not there, full.
    private mutating func wait(for budgets: [Budget], now: ContinuousClock.Instant) -> Duration {
        var longest = Duration.zero
        for budget in budgets {
            let bucket =
                buckets[budget] ?? inheritedBuckets[budget.kind] ?? TokenBucket(capacity: budget.capacity, now: now)
            buckets[budget] = bucket
            if let wait = buckets[budget]?.wait(now: now) { longest = max(longest, wait) }
        }
        return longest
    }
}

/// Guesses that wait for one of the same guesser's. A neighbour, by however many addresses and devices it guesses, never
/// has more of them waiting than it leaves room for others.
struct GuessLine<Waiter> {
    private typealias Waiting = (neighbour: [UInt8], waiter: Waiter)

    /// Of all together, and of one guesser.
    private static var most: Int { 256 }
    private static var mostOfOne: Int { 64 }

    private var waiting: [[UInt8]: [Waiting]] = [:]
    private var byNeighbour: [[UInt8]: Int] = [:]
    private(set) var count = 0

    /// - Returns: false where there is no room.
    mutating func join(_ guesser: Guesser, _ waiter: Waiter) -> Bool {
        let held = byNeighbour[guesser.neighbour, default: 0]
        guard held < Self.most - count - 1, waiting[guesser.key, default: []].count < Self.mostOfOne else {
            return false
        }
        waiting[guesser.key, default: []].append((guesser.neighbour, waiter))
        byNeighbour[guesser.neighbour] = held + 1
        count += 1
        return true
    }

    /// Those that waited for this guesser's.
    mutating func leave(_ key: [UInt8]) -> [Waiter] {
        let leaving = waiting.removeValue(forKey: key) ?? []
        for (neighbour, _) in leaving {
            let held = byNeighbour[neighbour, default: 0] - 1
            byNeighbour[neighbour] = held > 0 ? held : nil
        }
        count -= leaving.count
        return leaving.map(\.waiter)
    }
}

/// Which vault's household a device belongs to, as far as this run has seen. Where too many are remembered, the one that
/// was seen last longest ago gives way, of the neighbour that has most: who opens a vault again and again without a cookie
/// pushes out devices of its own, and nobody else's.
struct KnownHouseholds: Sendable {
    private struct Entry {
        let household: [UInt8]
        let neighbour: [UInt8]
        let number: UInt64
    }

    static let most = 4096

    private var entries: [[UInt8]: Entry] = [:]
    private var nextNumber: UInt64 = 0
    /// Devices by neighbour and the number of their entry.
    private var order: [[UInt8]: [UInt64: [UInt8]]] = [:]

    func household(of device: [UInt8]) -> [UInt8]? { entries[device]?.household }

    mutating func note(_ device: [UInt8], opened household: [UInt8], at neighbour: [UInt8]) {
        remove(device)
        entries[device] = Entry(household: household, neighbour: neighbour, number: nextNumber)
        order[neighbour, default: [:]][nextNumber] = device
        nextNumber += 1
        guard entries.count > Self.most, let fullest = order.max(by: { $0.value.count < $1.value.count }),
            let oldest = fullest.value.min(by: { $0.key < $1.key })
        else { return }
        remove(oldest.value)
    }

    private mutating func remove(_ device: [UInt8]) {
        guard let entry = entries.removeValue(forKey: device) else { return }
        order[entry.neighbour]?[entry.number] = nil
        if order[entry.neighbour]?.isEmpty == true { order[entry.neighbour] = nil }
    }
}
