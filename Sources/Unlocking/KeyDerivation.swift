package import Sealing
import Store
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

    /// Of a code that nobody has typed.
    package func root(of drawn: DrawnRecoveryCode) throws -> SharedRoot { try root(of: drawn.code) }

    private func roots(of secret: VaultSecret, _ guesser: Guesser) async throws -> [SharedRoot] {
        switch secret {
        case .password(let password):
            let root = try await root(of: password, guesser)
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

    private func root(of password: Password, _ guesser: Guesser) async throws -> SharedRoot {
        try await turns.take(guesser)
        defer { turns.giveBack() }
        return try await pool.run { [hostSalt, record, pepper] in
            SharedRoot(
                try SlotRoot.derive(password: password.bytes, hostSalt: hostSalt, record: record, pepper: pepper))
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
