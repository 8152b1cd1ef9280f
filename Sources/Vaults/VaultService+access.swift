import Logging
import Sealing
import Store
import Synchronization

extension VaultService {
    package func hello() -> Hello {
        Hello(registration: configuration.registration, fileByteLimit: configuration.limits.fileByteCount)
    }

    /// Whether creating a vault from there needs the host's setup code.
    package func codeNeeded(for client: Client) -> Bool {
        configuration.registration == .code && !client.address.isLoopback
    }

    // MARK: Create

    /// - Throws: the password rules' errors, `setupCodeWrong`, `registrationClosed`, `passwordTaken`,
    ///   `tooManyAttempts`, `busy`.
    package func create(password: Password, confirmation: Password, code: String?, client: Client) async throws
        -> Opening
    {
        try requireNotDraining()
        try PasswordRules.check(password, confirmation: confirmation)
        if configuration.registration == .local, !client.address.isLoopback { throw VaultError.registrationClosed }
        let isCounted = !client.address.isLoopback
        return try await attempt(client) { [self] in
            if codeNeeded(for: client) {
                guard let code, self.code.matches(code) else { throw VaultError.setupCodeWrong }
            }
            let root = try await derivation.root(of: password)
            if isCounted, let wait = newVaults.withLock({ $0.take(now: .now) }) {
                throw VaultError.tooManyAttempts(retryAfter: wait)
            }
            do {
                return try await opening(of: try await registry.create(root))
            } catch {
                if isCounted { newVaults.withLock { $0.giveBack() } }
                throw error
            }
        }
    }

    // MARK: Open

    /// - Throws: `noSuchVault`, `tooManyAttempts`, `busy`.
    package func open(password: Password, client: Client) async throws -> Opening {
        try await opening(of: try await openVault(password, client))
    }

    /// For requests that carry the password: `Authorization: Basic`, and the plain form's field.
    package func authenticate(password: Password, client: Client) async throws -> Session {
        try await translating { [self] in
            try await basic.session(password) { [self] in
                try session(of: try await openVault(password, client))
            }
        }
    }

    /// Nil when unknown, expired or locked; counts as use.
    package func session(token: String) -> Session? { sessions.session(token: token) }

    private func openVault(_ password: Password, _ client: Client) async throws -> VaultRegistry.Admission {
        try requireNotDraining()
        guard !password.isEmpty else { throw VaultError.passwordEmpty }
        return try await attempt(client) { [self] in
            let admission = try await registry.open(try await derivation.root(of: password))
            if admission.closesOthers { await sessions.endAll(of: admission.vault.uid) }
            do {
                try await purgeTrash(of: admission.vault)
            } catch {
                // Tidying must not keep anybody from the photos; the next opening tries again.
                logger.warning(
                    "deleted photos could not be removed for good", metadata: ["reason": "\(VaultError(error).code)"])
            }
            return admission
        }
    }

    private func session(of admission: VaultRegistry.Admission) throws -> Session {
        try Session(vault: admission.vault, accessEpoch: admission.epoch, engine: engine, limits: configuration.limits)
    }

    private func opening(of admission: VaultRegistry.Admission) async throws -> Opening {
        let session = try session(of: admission)
        return Opening(session: session, token: try sessions.add(session), deviceCookie: try devices.issue())
    }

    /// What has lain in "Recently deleted" for longer than it is kept goes for good; nothing does while the clock may
    /// be wrong.
    private func purgeTrash(of vault: OpenVault) async throws {
        guard !vault.isReadOnly, try await engine.run({ try vault.store.isClockTrusted() }) else { return }
        let kept = UInt64(configuration.limits.trashDays) * 86_400_000
        let limit = Milliseconds.now
        guard limit > kept else { return }
        let expired = try await vault.library.trash().filter { $0.deletedAt.map { $0 < limit - kept } ?? false }
        guard !expired.isEmpty else { return }
        _ = try await vault.removeForGood(expired.map(\.serial))
        try await engine.run { try vault.store.finishRemoval() }
    }

    // MARK: Lock

    /// Ends this session. Keys are wiped with the vault's last one.
    package func lock(_ session: Session) async { await sessions.end(session) }

    package func lockEverywhere(_ session: Session) async { await sessions.endAll(of: session.vaultUID) }

    // MARK: Change, erase, accept

    /// - Throws: `noSuchVault` when `current` is not this vault's password, the rules' errors, `passwordTaken`.
    package func changePassword(
        _ session: Session, current: Password, new: Password, confirmation: Password, client: Client
    ) async throws {
        let vault = try session.requireVault()
        try PasswordRules.check(new, confirmation: confirmation)
        try await attempt(client) { [self] in
            let currentRoot = try await derivation.root(of: current)
            let newRoot = try await derivation.root(of: new)
            try await registry.change(vault, from: currentRoot, to: newRoot)
        }
        // Every other way that the old password opened is closed.
        await sessions.endAll(of: vault.uid, except: session)
    }

    /// Deletes the vault and everything in it, for good.
    package func erase(_ session: Session, password: Password, client: Client) async throws {
        let vault = try session.requireVault()
        try await attempt(client) { [self] in
            try await registry.erase(vault, try await derivation.root(of: password))
        }
        await sessions.endAll(of: vault.uid)
    }

    /// Takes what is left of a damaged vault as the whole.
    package func acceptLoss(_ session: Session) async throws {
        let vault = try session.requireVault()
        try await translating { [self] in try await registry.acceptLoss(vault) }
    }

    // MARK: Attempts

    /// One attempt with a password or a setup code: on disk before anything is derived; only a success takes it back.
    private func attempt<R>(_ client: Client, _ body: () async throws -> R) async throws -> R {
        try await translating { [self] in
            let attempt = try await throttle.begin(client)
            do {
                let result = try await body()
                try await throttle.takeBack(attempt)
                return result
            } catch {
                let error = VaultError(error)
                if error.isNoGuess { try await throttle.takeBack(attempt) }
                throw error
            }
        }
    }
}

extension VaultError {
    /// Failures that tell nothing about any password.
    fileprivate var isNoGuess: Bool {
        switch self {
        case .busy, .degraded, .diskFull, .draining, .internalFailure, .sessionEnded: true
        default: false
        }
    }
}
