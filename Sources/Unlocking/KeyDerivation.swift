package import Records
package import Sealing
import Store
import Synchronization
import Threads

/// Turns secrets into slot roots; those of passwords one at a time, since each run takes about a second and hundreds of
/// MiB. A few may wait, in turns; more are told to come again.
package final class KeyDerivation: Sendable {
    private let hostSalt: [UInt8]
    private let record: KDFRecord
    private let pepper: SharedSecret?
    private let turns: DerivationQueue
    private let pool = BlockingPool(name: "derive", threads: 1)

    package init(hostSalt: [UInt8], record: KDFRecord, pepper: SharedSecret?, waitingLimit: Int) {
        self.hostSalt = hostSalt
        self.record = record
        self.pepper = pepper
        turns = DerivationQueue(waitingLimit: waitingLimit)
    }

    /// What one request's secrets may mean; of each, in the order in which it is tried. A password costs the same
    /// whatever it is.
    /// - Throws: `VaultError.busy` when too many wait.
    package func roots(of secrets: [VaultSecret], for guess: consuming Guess) async throws -> [[SharedRoot]] {
        let guesser = guess.guesser
        var roots: [[SharedRoot]] = []
        for secret in secrets { roots.append(try await self.roots(of: secret, guesser)) }
        return roots
    }

    /// What one secret may mean.
    package func roots(of secret: VaultSecret, for guess: consuming Guess) async throws -> [SharedRoot] {
        try await roots(of: secret, guess.guesser)
    }

    /// Opens the key of a window's list with a password.
    /// - Parameter guess: also where its owner chooses one.
    package func lockKey(
        of password: Password, window token: WindowToken, for guess: consuming Guess
    ) async throws -> SharedSecret {
        let root = try await root(of: password, guess.guesser, salt: try WindowSecret.salt(ofHost: hostSalt))
        return SharedSecret(try root.root.lockKey(ofWindow: token.bytes))
    }

    /// Of a code that nobody has typed.
    package func root(of drawn: DrawnRecoveryCode) throws -> SharedRoot { try root(of: drawn.code) }

    private func roots(of secret: VaultSecret, _ guesser: Guesser) async throws -> [SharedRoot] {
        switch secret {
        case .password(let password):
            let root = try await root(of: password, guesser, salt: hostSalt)
            guard let code = password.recoveryCode else { return [root] }
            return [root, try self.root(of: code)]
        case .recovery(let code): return [try root(of: code)]
        case .passkey(let passkey):
            return [
                SharedRoot(
                    try SlotRoot.derive(secret: passkey.bytes, of: .passkey, hostSalt: hostSalt, pepper: pepper))
            ]
        }
    }

    private func root(of password: Password, _ guesser: Guesser, salt: [UInt8]) async throws -> SharedRoot {
        try await turns.take(guesser)
        defer { turns.giveBack() }
        return try await pool.run { [record, pepper] in
            SharedRoot(
                try SlotRoot.derive(password: password.bytes, hostSalt: salt, record: record, pepper: pepper))
        }
    }

    private func root(of code: RecoveryCode) throws -> SharedRoot {
        SharedRoot(try SlotRoot.derive(secret: code.secret, of: .recovery, hostSalt: hostSalt, pepper: pepper))
    }

    package func shutdown() async { await pool.shutdown() }
}

/// A slot root that closures on other threads may hold; wiped with the last reference. Only a key derivation makes one,
/// and that takes a guess.
package final class SharedRoot: Sendable {
    package let root: SlotRoot

    fileprivate init(_ root: consuming SlotRoot) { self.root = root }
}

/// Who derives a key next: devices that opened a vault before take turns with strangers, and among each of them one
/// neighbour with the other, so that nobody's many wait before another's one.
final class DerivationQueue: Sendable {
    private struct State {
        var isTaken = false
        var devices = FairQueue<CheckedContinuation<Bool, Never>>()
        var strangers = FairQueue<CheckedContinuation<Bool, Never>>()
        var isDevicesTurn = true

        var waitingCount: Int { devices.count + strangers.count }
    }

    private let waitingLimit: Int
    private let state = Mutex(State())

    init(waitingLimit: Int) { self.waitingLimit = waitingLimit }

    var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// Returns with the turn, which is to be given back.
    /// - Throws: `busy` when too many wait.
    func take(_ guesser: Guesser) async throws(VaultError) {
        let isMine = await withCheckedContinuation { continuation in
            let refused = state.withLock { state -> (continuation: CheckedContinuation<Bool, Never>, isMine: Bool)? in
                guard state.isTaken else {
                    state.isTaken = true
                    return (continuation, true)
                }
                return enqueue(continuation, guesser, in: &state).map { ($0, false) }
            }
            refused?.continuation.resume(returning: refused?.isMine ?? false)
        }
        if !isMine { throw .busy(retryAfter: .seconds(2)) }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            let first = state.isDevicesTurn ? state.devices.popFirst() : state.strangers.popFirst()
            let next = first ?? (state.isDevicesTurn ? state.strangers.popFirst() : state.devices.popFirst())
            if next == nil { state.isTaken = false }
            state.isDevicesTurn.toggle()
            return next
        }
        next?.resume(returning: true)
    }

    /// - Returns: who has to go, when there are too many: the last of whoever has most waiting.
    private func enqueue(
        _ continuation: CheckedContinuation<Bool, Never>, _ guesser: Guesser, in state: inout State
    ) -> CheckedContinuation<Bool, Never>? {
        guard waitingLimit > 0 else { return continuation }
        if guesser.isKnownDevice {
            state.devices.append(continuation, of: guesser.neighbour)
        } else {
            state.strangers.append(continuation, of: guesser.neighbour)
        }
        guard state.waitingCount > waitingLimit else { return nil }
        return state.strangers.longest >= state.devices.longest
            ? state.strangers.popLastOfLongest() : state.devices.popLastOfLongest()
    }
}

/// What waits, in turns between those that it belongs to.
struct FairQueue<Element> {
    private var lines: [[UInt8]: [Element]] = [:]
    /// Whose turn is next.
    private var order: [[UInt8]] = []

    private(set) var count = 0

    /// How many wait of whoever has most.
    var longest: Int { lines.values.map(\.count).max() ?? 0 }

    mutating func append(_ element: Element, of owner: [UInt8]) {
        if lines[owner] == nil { order.append(owner) }
        lines[owner, default: []].append(element)
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard !order.isEmpty else { return nil }
        let owner = order.removeFirst()
        guard var line = lines[owner] else { return nil }
        let element = line.removeFirst()
        lines[owner] = line.isEmpty ? nil : line
        if !line.isEmpty { order.append(owner) }
        count -= 1
        return element
    }

    mutating func popLastOfLongest() -> Element? {
        // Of several, whoever came last.
        guard let owner = order.max(by: { lines[$0, default: []].count <= lines[$1, default: []].count }),
            let element = lines[owner]?.popLast()
        else { return nil }
        count -= 1
        if lines[owner]?.isEmpty == true {
            lines[owner] = nil
            order.removeAll { $0 == owner }
        }
        return element
    }
}

/// The cost of a password guess, chosen once for a host: 3 passes over as much memory as one run of at most a second
/// takes.
package enum Calibration {
    package static let iterations: UInt32 = 3
    static let mostMemoryKiB: UInt32 = 256 << 10
    static let leastMemoryKiB: UInt32 = 64 << 10

    /// Halves from 256 MiB until a run takes at most a second and a quarter of `availableKiB` holds it; never below 64
    /// MiB.
    package static func memoryKiB(availableKiB: UInt64?, clock: some Clock<Duration> = ContinuousClock()) throws
        -> UInt32
    {
        let password = try SecretBytes(random: 16)
        let salt = [UInt8](repeating: 0x5A, count: 16)
        var memory = mostMemoryKiB
        while memory > leastMemoryKiB {
            if let availableKiB, UInt64(memory) > availableKiB / 4 {
                memory /= 2
                continue
            }
            let duration = try clock.measure {
                _ = try Argon2id.derive(password: password, salt: salt, iterations: iterations, memoryKiB: memory)
            }
            if duration <= .seconds(1) { break }
            memory /= 2
        }
        return max(memory, leastMemoryKiB)
    }
}
