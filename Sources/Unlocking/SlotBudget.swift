import Bytes
import Records
package import Store
import Threads

/// How many vaults may be made, by whomever. Each overwrites slots wherever they fall, so those of a vault that nobody
/// opens wear away: this bounds how fast. What is left is in memory only, for a stored count would tell; so a start
/// begins with little, which the owner lifts at the host itself. The sum stands in docs/format.md.
///
/// What is changed of the ways into a vault is bounded for each vault by itself (`WayBudget`).
package struct SlotBudget: Sendable {
    private static let day = 86_400.0
    /// What a start gives at most.
    private static let mostAtStart: UInt32 = 2

    private let capacity: Int
    private var vaults: TokenBucket
    /// How often the owner has lifted all limits in this run, and which of these times a vault has made use of.
    private var liftCount = 0
    private var usedLifts: [[UInt8]: Int] = [:]

    /// - Parameters:
    ///   - capacity: vaults that may be made at once where none was for long. A 64th of it comes back in a day.
    ///   - present: how many may be made at once now.
    package init(capacity: Int, present: Int, now: ContinuousClock.Instant) {
        self.capacity = capacity
        vaults = Self.bucket(capacity, tokens: Double(min(present, capacity)), now)
    }

    private static func bucket(_ capacity: Int, tokens: Double, _ now: ContinuousClock.Instant) -> TokenBucket {
        TokenBucket(capacity: Double(capacity), tokens: tokens, fillSeconds: 64 * day, now: now)
    }

    /// What a start of a store gives that was there before: one for each day since a start has given something, so that
    /// many starts give no more than few.
    /// - Parameter last: the day of that start; nil where none has.
    static func gift(on today: UInt32, last: UInt32?) -> UInt32 {
        guard let last else { return mostAtStart }
        return today > last ? min(mostAtStart, today - last) : 0
    }

    /// The same, which no later start gives again. Blocking. The day is noted whether or not a vault is made: it tells
    /// when the daemon was started, and nothing else.
    package static func takeGift(on today: UInt32, from ledger: Ledger) throws -> Int {
        let key = HostMetaKey.vaultsGiven
        let last = try ledger.readBlocking { try $0.metaValue(key) }.flatMap { stored in
            var reader = ByteReader(stored)
            return reader.readUInt32()
        }
        let gift = gift(on: today, last: last)
        guard gift > 0 else { return 0 }
        try ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                try transaction.setMetaValue(key, today.bigEndianBytes)
            })
        return Int(gift)
    }

    /// Nil when a vault may be made, else how long until then.
    package mutating func take(now: ContinuousClock.Instant) -> Duration? {
        guard capacity > 0 else { return .seconds(Self.day) }
        return vaults.take(now: now)
    }

    package mutating func giveBack() { vaults.giveBack() }

    // MARK: Changes of ways

    /// What each vault may change of its ways.
    var ways: WayBudget { WayBudget(capacity: (capacity + 3) / 4) }

    /// Whether the owner has lifted all limits since this vault last made use of that.
    func isLifted(for vaultUID: [UInt8]) -> Bool { usedLifts[vaultUID, default: 0] < liftCount }

    mutating func noteUse(of vaultUID: [UInt8]) { usedLifts[vaultUID] = liftCount }

    package mutating func beginAnew(now: ContinuousClock.Instant) {
        vaults = Self.bucket(capacity, tokens: Double(capacity), now)
        liftCount += 1
    }
}

/// How many secrets may be made for one vault that is there: a few at once, and one more with each day. What others do
/// takes nothing from it, and no restart gives any of it back: its sealed head knows until when it is used up.
struct WayBudget: Sendable, Equatable {
    /// Secrets that may be made at once.
    let capacity: Int

    enum Verdict: Equatable {
        /// One is taken; what the head is to say from now on.
        case taken(until: UInt64)
        case wait(Duration)
    }

    /// - Parameters:
    ///   - until: the day since 1970 on which all of it is there again; any day before today where it is.
    ///   - today: since 1970.
    func take(usedUntil until: UInt64, today: UInt64) -> Verdict {
        guard capacity > 0 else { return .wait(.seconds(86_400)) }
        // A day so far ahead was written by a clock that was: one secret may be made all the same.
        let isAhead = until > today + UInt64(capacity)
        let used = isAhead ? UInt64(capacity) - 1 : until - min(until, today)
        guard used < UInt64(capacity) else { return .wait(.seconds(86_400)) }
        return .taken(until: today + used + 1)
    }
}
