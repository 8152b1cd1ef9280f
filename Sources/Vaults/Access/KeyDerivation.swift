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

    /// What a secret may mean, in the order in which it is tried. A password costs the same whatever it is.
    /// - Throws: `VaultError.busy` when the queue is full.
    func roots(of secret: VaultSecret) async throws -> [SharedRoot] {
        switch secret {
        case .password(let password):
            let root = try await root(of: password)
            guard let code = password.recoveryCode else { return [root] }
            return [root, try self.root(of: code)]
        case .recovery(let code): return [try root(of: code)]
        case .passkey(let passkey): return [try root(of: passkey)]
        }
    }

    func root(of code: RecoveryCode) throws -> SharedRoot {
        SharedRoot(try SlotRoot.derive(secret: code.secret, of: .recovery, hostSalt: hostSalt, pepper: pepper))
    }

    func root(of passkey: PasskeySecret) throws -> SharedRoot {
        SharedRoot(try SlotRoot.derive(secret: passkey.bytes, of: .passkey, hostSalt: hostSalt, pepper: pepper))
    }

    func shutdown() async { await pool.shutdown() }
}

/// A slot root that closures on other threads may hold; wiped with the last reference.
final class SharedRoot: Sendable {
    let root: SlotRoot

    init(_ root: consuming SlotRoot) { self.root = root }
}
