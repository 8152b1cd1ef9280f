import Sealing
import Store
import Synchronization

/// Slows down guessing, durably: an attempt is on disk before its key derivation runs, and a success takes back its own
/// entry. So neither killing the daemon nor turning the clock gives a fresh start. Addresses are stored as keyed
/// hashes.
final class AttemptThrottle: Sendable {
    private struct State {
        var entries: [[UInt8]: Attempts] = [:]
        /// Without failures by now; still to be removed from the ledger.
        var forgotten: Set<[UInt8]> = []
        var buckets: [Lane: TokenBucket]

        mutating func forget(now: ContinuousClock.Instant) {
            for (key, var attempts) in entries {
                attempts.forget(now: now)
                entries[key] = attempts.failures > 0 ? attempts : nil
                if attempts.failures == 0 { forgotten.insert(key) }
            }
        }
    }

    /// Devices that have opened a vault before have a budget apart from that of all others, so that strangers cannot
    /// use it up; and they share it, for whoever may open one vault can collect cookies of devices and guess at
    /// another.
    fileprivate enum Lane: String, CaseIterable {
        case strangers = "all"
        case devices

        /// In the throttle table, shorter than any address's.
        var key: [UInt8] { Array(rawValue.utf8) }
    }

    /// What `begin` recorded, for `takeBack`.
    struct Attempt: Sendable {
        fileprivate let key: [UInt8]
        fileprivate let lane: Lane
    }

    private let ledger: Ledger
    private let devices: DeviceCookies
    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(
        ledger: Ledger, devices: DeviceCookies,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) throws {
        self.ledger = ledger
        self.devices = devices
        self.now = now
        var loaded = State(buckets: [:])
        for lane in Lane.allCases { loaded.buckets[lane] = TokenBucket(now: now()) }
        for entry in try ledger.readBlocking({ try $0.throttleEntries() }) {
            var reader = ByteReader(entry.value)
            guard let value = reader.readUInt32() else { continue }
            if let lane = Lane.allCases.first(where: { $0.key == entry.key }) {
                loaded.buckets[lane] = TokenBucket(tokens: Double(value) / 1000, now: now())
            } else {
                loaded.entries[entry.key] = Attempts(failures: Int(value), now: now())
            }
        }
        state = Mutex(loaded)
    }

    /// Records an attempt before anything is derived.
    /// - Throws: `tooManyAttempts` while the address, the device, or all strangers together must wait.
    func begin(_ client: Client) async throws -> Attempt {
        let device = client.deviceCookie.flatMap(devices.identity)
        let key = try devices.throttleKey(device.map { [1] + $0 } ?? [0] + client.address.throttleBytes)
        let attempt = Attempt(key: key, lane: device == nil ? .strangers : .devices)
        if let wait = admit(attempt) { throw VaultError.tooManyAttempts(retryAfter: wait) }
        do {
            try await store(attempt)
        } catch {
            // Nothing was derived, so it was none.
            forget(attempt)
            throw error
        }
        return attempt
    }

    func takeBack(_ attempt: Attempt) async throws {
        forget(attempt)
        try await store(attempt)
    }

    private func forget(_ attempt: Attempt) {
        state.withLock { state in
            state.entries[attempt.key]?.takeBack()
            state.buckets[attempt.lane]?.giveBack()
        }
    }

    /// Nil when admitted and counted, else how long to wait.
    private func admit(_ attempt: Attempt) -> Duration? {
        let now = now()
        return state.withLock { state in
            state.forget(now: now)
            var attempts = state.entries[attempt.key] ?? Attempts(now: now)
            let wait = attempts.wait(now: now)
            if wait > .zero { return wait }
            if let wait = state.buckets[attempt.lane]?.take(now: now) { return wait }
            attempts.record(now: now)
            state.entries[attempt.key] = attempts
            return nil
        }
    }

    /// Writes what holds at the moment of the commit, so commits in any order end in the newest state.
    private func store(_ attempt: Attempt) async throws {
        let removed = Mutex<Set<[UInt8]>>([])
        try await ledger.commit(
            LedgerChange(mayUseReserve: true) { [self] transaction, _ in
                let (failures, tokens, forgotten) = state.withLock { state in
                    (
                        state.entries[attempt.key]?.failures ?? 0, state.buckets[attempt.lane]?.tokens ?? 0,
                        state.forgotten.filter { state.entries[$0] == nil }
                    )
                }
                try transaction.setThrottleEntry(attempt.key, failures == 0 ? nil : UInt32(failures).bigEndianBytes)
                try transaction.setThrottleEntry(attempt.lane.key, UInt32(tokens * 1000).bigEndianBytes)
                for key in forgotten { try transaction.setThrottleEntry(key, nil) }
                removed.withLock { $0 = forgotten }
            })
        // Only now: the change may be done more than once.
        state.withLock { $0.forgotten.subtract(removed.withLock { $0 }) }
    }
}
