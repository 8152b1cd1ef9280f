import Records
import Synchronization

/// Counts failed attempts of one address or device. Pure: the clock is an argument.
///
/// Five failures are free; each further one doubles a delay from 1 s up to 1 h. A failure is forgotten after an hour of
/// running.
struct Attempts: Equatable, Sendable {
    static let free = 5
    static let longestDelay: Duration = .seconds(3600)
    static let forgottenAfter: Duration = .seconds(3600)

    /// What is kept of an address or a device beyond the end of the process, however that comes.
    package struct Record: Equatable, Sendable {
        package var wrongCount: Int
        /// Whether one was under way of which it was not known whether it is right.
        var isOneOpen: Bool
    }

    /// Those of which nobody knows yet whether they are right count as failures.
    private(set) var failures: Int
    /// Whether one of them was cut off by the end of the process. Nobody was told what it was, so that however many were
    /// cut off, by however many crashes, they count as one, until a right one shows that the owner is there.
    private(set) var isOneCutOff = false
    /// Of the last failure, or of the last one forgotten; time that the daemon does not run never counts.
    private(set) var since: ContinuousClock.Instant

    init(failures: Int = 0, now: ContinuousClock.Instant) {
        self.failures = failures
        since = now
    }

    init(_ record: Record, now: ContinuousClock.Instant) {
        self.init(failures: record.wrongCount + (record.isOneOpen ? 1 : 0), now: now)
        isOneCutOff = record.isOneOpen
    }

    /// What has to outlive the process while so many of the failures are under way; nil when it is nothing.
    func record(underWay: Int) -> Record? {
        let wrongCount = max(0, failures - underWay - (isOneCutOff ? 1 : 0))
        let record = Record(wrongCount: wrongCount, isOneOpen: underWay > 0 || isOneCutOff)
        return record == Record(wrongCount: 0, isOneOpen: false) ? nil : record
    }

    var delay: Duration {
        guard failures > Self.free else { return .zero }
        let doublings = min(failures - Self.free - 1, 12)
        return min(.seconds(1 << doublings), Self.longestDelay)
    }

    /// How long the next attempt must wait; zero when it may go on.
    ///
    /// A clock read before `since` counts as no time gone: two attempts at once read theirs in any order.
    func wait(now: ContinuousClock.Instant) -> Duration { max(.zero, delay - max(.zero, now - since)) }

    mutating func forget(now: ContinuousClock.Instant) {
        while failures > 0, now - since >= Self.forgottenAfter {
            failures -= 1
            isOneCutOff = false
            since += Self.forgottenAfter
        }
    }

    mutating func record(now: ContinuousClock.Instant) {
        forget(now: now)
        failures += 1
        since = max(since, now)
    }

    /// One that was no guess takes back its own entry.
    mutating func takeBack() { failures = max(0, failures - 1) }

    /// A success takes back its own entry, and the one that was cut off, and no other.
    mutating func succeed() {
        takeBack()
        if isOneCutOff { takeBack() }
        isOneCutOff = false
    }
}

/// So many in an hour, or in the time that it takes to fill, whoever of those that share it makes them.
struct TokenBucket: Equatable, Sendable {
    let capacity: Double
    /// From empty to full, in seconds.
    private let fillSeconds: Double
    private(set) var tokens: Double
    private var filledAt: ContinuousClock.Instant

    /// - Parameter tokens: full when nil.
    init(capacity: Double, tokens: Double? = nil, fillSeconds: Double = 3600, now: ContinuousClock.Instant) {
        self.capacity = capacity
        self.fillSeconds = fillSeconds
        self.tokens = min(max(tokens ?? capacity, 0), capacity)
        filledAt = now
    }

    var isFull: Bool { tokens >= capacity }

    mutating func fill(now: ContinuousClock.Instant) {
        let elapsed = max(.zero, now - filledAt)
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        tokens = min(capacity, tokens + seconds * capacity / fillSeconds)
        filledAt = max(filledAt, now)
    }

    /// Nil when there is a token, else how long until there is one.
    mutating func wait(now: ContinuousClock.Instant) -> Duration? {
        fill(now: now)
        return tokens < 1 ? .seconds((1 - tokens) * fillSeconds / capacity) : nil
    }

    /// Nil when a token was taken, else how long until there is one.
    mutating func take(now: ContinuousClock.Instant) -> Duration? {
        if let wait = wait(now: now) { return wait }
        tokens -= 1
        return nil
    }

    /// One more is taken, whether or not it is there; it is paid back before the next.
    mutating func owe() { tokens -= 1 }

    mutating func giveBack() { tokens = min(capacity, tokens + 1) }
}

/// How attempts with a password, a code or a passkey ended since the start: all of them together, with no address, and
/// nothing that is per vault.
package struct AttemptTotals: Sendable, Equatable {
    package var right: UInt64 = 0
    package var wrong: UInt64 = 0
    /// Not looked at, since somebody has to wait.
    package var refused: UInt64 = 0

    package init() {}
}

/// Counts them.
package final class AttemptTally: Sendable {
    private let counts = Mutex(AttemptTotals())

    package var totals: AttemptTotals { counts.withLock { $0 } }

    /// Counts what becomes of an attempt; failures that tell nothing about any secret are none.
    func counting<R>(_ attempt: () async throws -> R) async throws -> R {
        let result = try await countingRefusal {
            do {
                return try await attempt()
            } catch {
                note(VaultError(error))
                throw error
            }
        }
        counts.withLock { $0.right += 1 }
        return result
    }

    /// Counts one that has to wait, and nothing else.
    func countingRefusal<R>(_ body: () async throws -> R) async throws -> R {
        do {
            return try await body()
        } catch {
            if case .tooManyAttempts = VaultError(error) { counts.withLock { $0.refused += 1 } }
            throw error
        }
    }

    private func note(_ failure: VaultError) {
        if case .tooManyAttempts = failure { return }
        if !failure.isNoGuess { counts.withLock { $0.wrong += 1 } }
    }
}
