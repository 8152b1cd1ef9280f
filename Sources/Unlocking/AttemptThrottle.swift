import Bytes
import Glibc
package import Logging
package import Records
import Sealing
package import Store
import Synchronization

/// The right to compare, once, what a request brought with the secrets of this host: a password, a code, a passkey's
/// secret, a credential that is kept ready. Only `AttemptThrottle` makes one, after it has booked it; it cannot be
/// copied or kept, and everything that compares takes one.
package struct Guess: ~Copyable, Sendable {
    /// Whose; key derivations take turns by it.
    let guesser: Guesser

    fileprivate init(_ guesser: Guesser) { self.guesser = guesser }
}

/// Slows down guessing, durably: an attempt is on disk before its key derivation runs, a failure before its answer, and
/// a success takes back its own entry. So neither killing the daemon nor turning the clock gives a fresh start, and a
/// crash in the midst of right passwords keeps nobody waiting. Addresses are stored as hashes under a key that is in memory
/// alone, so that the disk does not tell who was here. While the computer runs, the key outlives the daemon; without it,
/// what a run has booked for addresses holds for every address after it.
package final class AttemptThrottle: Sendable {
    private struct State {
        var accounts: GuessAccounts
        /// Stand for nothing by now; still to be removed from the ledger.
        var forgotten: Set<[UInt8]> = []
        /// Until a guess under way of the same guesser has come to its end.
        var line = GuessLine<CheckedContinuation<Void, Never>>()
    }

    private enum Admission<R> {
        case recalled(R)
        case charged(GuessAccounts.Charge)
        case inLine
    }

    private static let wrongCountKey = "wrong-guesses"

    /// Of the attempts since the start.
    package let tally = AttemptTally()
    private let ledger: Ledger?
    private let devices: DeviceCookies
    private let logger: Logger
    /// Of this run of the computer, or of the daemon.
    private let key: SharedSecret
    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - ledger: nil where nothing of guesses may stand on disk; then a start forgets them.
    ///   - memoryPath: a folder that lies in memory alone, where the key outlives the daemon. Nil: it does not.
    package init(
        ledger: Ledger?, devices: DeviceCookies, memoryPath: String? = nil,
        hostSalt: [UInt8] = [], logger: Logger = Logger(label: "safelight"),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) throws {
        self.ledger = ledger
        self.devices = devices
        self.logger = logger
        self.now = now
        key = try Self.key(memoryPath, hostSalt)
        let name = try Self.keyedHash(5, [], under: key)
        let (entries, wrongCount, formerName) =
            try ledger?.readBlocking {
                (try $0.throttleEntries(), try $0.metaValue(Self.wrongCountKey), try $0.metaValue(HostMetaKey.guessKey))
            } ?? ([], nil, name)
        var accounts = GuessAccounts(wrongCount: wrongCount.flatMap(Self.integer) ?? 0)
        var ofFormerRun: Set<[UInt8]> = []
        let isSameKey = formerName == name
        for entry in entries where !accounts.restore(entry, isSameKey: isSameKey, now: now()) {
            ofFormerRun.insert(entry.key)
        }
        if !isSameKey {
            try ledger?.commitBlocking(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    try transaction.setMetaValue(HostMetaKey.guessKey, name)
                })
        }
        state = Mutex(State(accounts: accounts, forgotten: ofFormerRun))
    }

    /// Of each store another one: who guesses at two of them has two names.
    private static func key(_ memoryPath: String?, _ hostSalt: [UInt8]) throws -> SharedSecret {
        var drawn = try randomBytes(32)
        defer { wipe(&drawn) }
        let name = "safelight-guesses-" + Hexadecimal.encode(hostSalt)
        var bytes = memoryPath.flatMap { MemoryFile.content(name, in: $0, new: drawn) } ?? drawn
        defer { wipe(&bytes) }
        return SharedSecret(try SecretBytes(copying: bytes))
    }

    /// Guesses of this house that were wrong, since the store was made.
    package var wrongCount: UInt64 { state.withLock { $0.accounts.knownWrongCount } }

    /// Guesses that wait for others of the same guesser.
    var waitingCount: Int { state.withLock { $0.line.count } }

    // MARK: Guessing

    /// One guess: booked on disk before anything is derived, and taken back when it was right, or none.
    /// - Parameters:
    ///   - place: an id of where it guesses, if there are many places each of which has to be known before.
    ///   - recall: looks for what is kept ready in memory, under the throttle's lock, by whoever may guess: an address, a
    ///     device or a household that must wait is not told that it is right, and what is not found goes on as a guess
    ///     like any other.
    ///   - compare: throws when the guess was wrong.
    /// - Throws: `tooManyAttempts` while the address, the device, or all that share its budget must wait; `busy`.
    package func guessing<R>(
        _ client: Client, at place: [UInt8]? = nil, recalling recall: (consuming Guess) -> R? = { _ in nil },
        comparing compare: (consuming Guess) async throws -> R
    ) async throws -> R {
        let guesser = try guesser(client, at: place)
        switch try await tally.countingRefusal({ try await admission(guesser, recall) }) {
        case .recalled(let result): return result
        case .inLine: throw VaultError.busy(retryAfter: .seconds(2))
        case .charged(let charge):
            do {
                try await store(charge)
            } catch {
                // Nothing was derived, so it was none.
                settle(charge, as: .noGuess)
                throw error
            }
            return try await tally.counting {
                try await settling(charge) { try await compare(Guess(guesser)) }
            }
        }
    }

    /// The device with this cookie, which may be new, opened that vault.
    package func note(_ deviceCookie: String, of client: Client, opened vaultUID: [UInt8]) {
        guard let device = devices.identity(of: deviceCookie), let key = try? key(ofDevice: device),
            let household = try? household(of: vaultUID),
            let neighbour = try? neighbour(of: client, isKnownDevice: true)
        else { return }
        state.withLock { $0.accounts.note(device: key, opened: household, at: neighbour) }
    }

    private func settling<R>(_ charge: GuessAccounts.Charge, _ body: () async throws -> R) async throws -> R {
        do {
            let result = try await body()
            // What was done is done, and its answer may tell what is told once.
            settle(charge, as: .right)
            do { try await store(charge) } catch {
                logger.warning(
                    "an attempt goes on counting", metadata: ["reason": "\(VaultError(error).code)"])
            }
            return result
        } catch {
            let error = VaultError(error)
            settle(charge, as: error.isNoGuess ? .noGuess : .wrong)
            // Whoever has heard that it was wrong must not have it back by a crash.
            try await store(charge)
            throw error
        }
    }

    private func admission<R>(_ guesser: Guesser, _ recall: (consuming Guess) -> R?) async throws -> Admission<R> {
        while true {
            let admission = try admit(guesser, recall)
            guard case .inLine = admission else { return admission }
            guard await waitForOthers(of: guesser) else { return admission }
        }
    }

    private func admit<R>(_ guesser: Guesser, _ recall: (consuming Guess) -> R?) throws -> Admission<R> {
        let now = now()
        return try state.withLock { state in
            switch state.accounts.standing(of: guesser, now: now) {
            case .mustWait(let wait): throw VaultError.tooManyAttempts(retryAfter: wait)
            case .inLine: return .inLine
            case .free: break
            }
            let gone = state.accounts.forget(now: now)
            state.forgotten.formUnion(gone.keys)
            state.forgotten.formUnion(gone.budgets.compactMap(\.storedKey))
            switch state.accounts.charge(guesser, now: now) {
            case .success(let charge):
                guard let result = recall(Guess(guesser)) else { return .charged(charge) }
                // It was right, or another one that is booked says whether it is: nothing of it has to outlive this.
                state.accounts.settle(charge, as: .noGuess)
                return .recalled(result)
            case .failure(let wait): throw VaultError.tooManyAttempts(retryAfter: wait.duration)
            }
        }
    }

    /// False when too many wait already.
    private func waitForOthers(of guesser: Guesser) async -> Bool {
        var isTooMany = false
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state -> Bool in
                // It may have come to its end meanwhile.
                guard state.accounts.standing(of: guesser, now: now()) == .inLine else { return true }
                isTooMany = !state.line.join(guesser, continuation)
                return isTooMany
            }
            if goesOn { continuation.resume() }
        }
        return !isTooMany
    }

    private func settle(_ charge: GuessAccounts.Charge, as outcome: GuessAccounts.Outcome) {
        let waiting = state.withLock { state in
            state.accounts.settle(charge, as: outcome)
            return state.line.leave(charge.guesser.key)
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: Keys

    private func guesser(_ client: Client, at place: [UInt8]?) throws -> Guesser {
        let device = client.deviceCookie.flatMap(devices.identity)
        return Guesser(
            key: try device.map(key(ofDevice:)) ?? keyedHash(0, client.throttleBytes) + [GuessAccounts.addressMark],
            neighbour: try neighbour(of: client, isKnownDevice: device != nil), isKnownDevice: device != nil,
            place: try place.map { try keyedHash(6, $0) })
    }

    private func neighbour(of client: Client, isKnownDevice: Bool) throws -> [UInt8] {
        let mark: UInt8 = isKnownDevice ? 3 : 2
        return try keyedHash(mark, client.holder) + [mark]
    }

    private func key(ofDevice identity: [UInt8]) throws -> [UInt8] { try devices.throttleKey([1] + identity) }

    private func household(of vaultUID: [UInt8]) throws -> [UInt8] {
        try keyedHash(4, vaultUID)
    }

    private func keyedHash(_ purpose: UInt8, _ bytes: [UInt8]) throws -> [UInt8] {
        try Self.keyedHash(purpose, bytes, under: key)
    }

    private static func keyedHash(_ purpose: UInt8, _ bytes: [UInt8], under key: SharedSecret) throws -> [UInt8] {
        var mac = try HMACSHA256(key: key.bytes)
        return Array(try mac.authenticate([purpose], bytes).prefix(16))
    }

    // MARK: On disk

    private static func integer(_ bytes: [UInt8]) -> UInt64? {
        var reader = ByteReader(bytes)
        return reader.readUInt64()
    }

    /// Writes what holds at the moment of the commit, so commits in any order end in the newest state.
    private func store(_ charge: GuessAccounts.Charge) async throws {
        guard let ledger else { return state.withLock { $0.forgotten = [] } }
        let removed = Mutex<Set<[UInt8]>>([])
        let key = charge.guesser.key
        try await ledger.commit(
            LedgerChange(mayUseReserve: true) { [self] transaction, _ in
                let (accounts, forgotten) = state.withLock { ($0.accounts, $0.forgotten) }
                try transaction.setThrottleEntry(key, accounts.record(of: key)?.storedValue)
                for budget in charge.budgets {
                    guard let key = budget.storedKey else { continue }
                    try transaction.setThrottleEntry(key, accounts.buckets[budget].map(budget.storedValue))
                }
                try transaction.setMetaValue(Self.wrongCountKey, accounts.knownWrongCount.bigEndianBytes)
                let gone = forgotten.filter { accounts.attempts[$0] == nil && !accounts.hasBucket(storedAs: $0) }
                for key in gone { try transaction.setThrottleEntry(key, nil) }
                removed.withLock { $0 = gone }
            })
        // Only now: the change may be done more than once.
        state.withLock { $0.forgotten.subtract(removed.withLock { $0 }) }
    }
}

/// How budgets stand in the throttle table: those of all under short names, a neighbour's under its hash, and what it has
/// of the newcomers' behind that, with a longer value than an address' failures have.
extension GuessAccounts.Budget {
    private static let named: [String: Self] = [
        "all": .strangers, "devices": .devices, "new": .newcomers,
    ]
    private static let (neighbourMark, newcomersMark): (UInt8, UInt8) = (1, 3)

    fileprivate var storedKey: [UInt8]? {
        switch self {
        case .neighbour(let hash): hash
        case .newcomersOf(let hash): hash + [Self.newcomersMark]
        case .household, .place: nil
        case .strangers, .devices, .newcomers: Self.named.first { $0.value == self }.map { Array($0.key.utf8) }
        }
    }

    fileprivate func storedValue(_ bucket: TokenBucket) -> [UInt8] {
        let tokens = UInt32(bucket.tokens * 1000).bigEndianBytes
        return switch self {
        case .neighbour: [Self.neighbourMark] + tokens
        case .newcomersOf: [Self.newcomersMark] + tokens
        case .strangers, .devices, .household, .place, .newcomers: tokens
        }
    }

    fileprivate init?(storedKey key: [UInt8], value: [UInt8]) {
        if value.count == 5, value[0] == Self.neighbourMark {
            self = .neighbour(key)
        } else if value.count == 5, value[0] == Self.newcomersMark {
            self = .newcomersOf(key.dropLast())
        } else if let budget = Self.named[String(decoding: key, as: UTF8.self)] {
            self = budget
        } else {
            return nil
        }
    }
}

/// Failures in four bytes, and with a byte before them where an attempt was under way when that was written.
extension Attempts.Record {
    private static let openMark: UInt8 = 2

    fileprivate var storedValue: [UInt8] {
        let count = UInt32(clamping: wrongCount).bigEndianBytes
        return isOneOpen ? [Self.openMark] + count : count
    }

    fileprivate init?(storedValue: [UInt8]) {
        let isOneOpen = storedValue.count == 5 && storedValue[0] == Self.openMark
        var reader = ByteReader(isOneOpen ? Array(storedValue.dropFirst()) : storedValue)
        guard let count = reader.readUInt32(), reader.isAtEnd else { return nil }
        self.init(wrongCount: Int(count), isOneOpen: isOneOpen)
    }
}

extension GuessAccounts {
    fileprivate func hasBucket(storedAs key: [UInt8]) -> Bool {
        buckets.keys.contains { $0.storedKey == key }
    }

    /// Behind the hash of an address, to tell it from a device's.
    fileprivate static let addressMark: UInt8 = 0

    /// - Parameter isSameKey: whether this run tells whose the rows of addresses are.
    /// - Returns: false for what only the run before could have told whose it is.
    fileprivate mutating func restore(
        _ entry: (key: [UInt8], value: [UInt8]), isSameKey: Bool, now: ContinuousClock.Instant
    ) -> Bool {
        var reader = ByteReader(Array(entry.value.suffix(4)))
        guard let value = reader.readUInt32() else { return false }
        switch Budget(storedKey: entry.key, value: entry.value) {
        case let budget? where budget.isOfNeighbour && !isSameKey:
            inherit(budget, tokens: Double(value) / 1000, now: now)
            return false
        case let budget?:
            restore(budget, tokens: Double(value) / 1000, now: now)
            return true
        case nil: break
        }
        guard let record = Attempts.Record(storedValue: entry.value) else { return false }
        guard !isSameKey, entry.key.count == 17, entry.key.last == Self.addressMark else {
            restore(record, of: entry.key, now: now)
            return true
        }
        inherit(record, now: now)
        return false
    }
}
