import Sealing
import Store
import Synchronization

/// Turns passwords into slot roots, one at a time: each run takes about a second and hundreds of MiB.
/// A few may wait, in order; more are told to come again.
final class KeyDerivation: Sendable {
    private let hostSalt: [UInt8]
    private let record: KDFRecord
    private let pepper: SharedSecret?
    private let waitingLimit: Int
    private let pool = BlockingPool(name: "derive", threads: 1)
    private let admitted = Mutex(0)

    init(hostSalt: [UInt8], record: KDFRecord, pepper: SharedSecret?, waitingLimit: Int) {
        self.hostSalt = hostSalt
        self.record = record
        self.pepper = pepper
        self.waitingLimit = waitingLimit
    }

    /// - Throws: `VaultError.busy` when the queue is full.
    func root(of password: Password) async throws -> SharedRoot {
        let isAdmitted = admitted.withLock { count in
            guard count <= waitingLimit else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { throw VaultError.busy(retryAfter: .seconds(2)) }
        defer { admitted.withLock { $0 -= 1 } }
        return try await pool.run { [hostSalt, record, pepper] in
            SharedRoot(
                try SlotRoot.derive(password: password.bytes, hostSalt: hostSalt, record: record, pepper: pepper))
        }
    }

    func shutdown() async { await pool.shutdown() }
}

/// A slot root that closures on other threads may hold; wiped with the last reference.
final class SharedRoot: Sendable {
    let root: SlotRoot

    init(_ root: consuming SlotRoot) { self.root = root }
}
