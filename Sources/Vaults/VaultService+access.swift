import Logging
import Sealing
import Store
import Synchronization

extension VaultService {
    package func hello() -> Hello {
        Hello(
            registration: configuration.registration, takesGuests: configuration.takesGuests,
            fileByteLimit: configuration.limits.fileByteCount, trashDays: configuration.limits.trashDays)
    }

    /// Whether creating a vault from there needs the host's setup code.
    package func codeNeeded(for client: Client) -> Bool {
        configuration.registration == .code && !client.address.isLoopback
    }

    // MARK: Create

    /// - Parameter makesRecoveryCode: whether a recovery code opens the vault from the beginning.
    /// - Throws: the password rules' errors, `setupCodeWrong`, `registrationClosed`, `passwordTaken`,
    ///   `tooManyAttempts`, `busy`.
    package func create(
        password: Password, confirmation: Password, code: String?, client: Client, makesRecoveryCode: Bool = false,
        wishes: OpeningWishes = OpeningWishes()
    ) async throws -> Opening {
        try requireNotDraining()
        try PasswordRules.check(password, confirmation: confirmation)
        if configuration.registration == .local, !client.address.isLoopback { throw VaultError.registrationClosed }
        let isCounted = !client.address.isLoopback
        return try await attempt(client) { [self] in
            if codeNeeded(for: client) {
                guard let code, self.code.matches(code) else { throw VaultError.setupCodeWrong }
            }
            let roots = try await derivation.roots(of: .password(password))
            if isCounted, let wait = newVaults.withLock({ $0.take(now: .now) }) {
                throw VaultError.tooManyAttempts(retryAfter: wait)
            }
            do {
                let recovery = makesRecoveryCode ? try RecoveryCode() : nil
                let admission = try await registry.create(roots, recovery: try recovery.map(derivation.root(of:)))
                var opening = try await opening(of: admission, wishes)
                opening.recoveryCode = try recovery?.text()
                return opening
            } catch {
                // What no attempt is counted for may have told that a password is free.
                if isCounted, !VaultError(error).isNoGuess { newVaults.withLock { $0.giveBack() } }
                throw error
            }
        }
    }

    // MARK: Open

    /// - Throws: `noSuchVault`, `tooManyAttempts`, `busy`.
    package func open(
        password: Password, client: Client, wishes: OpeningWishes = OpeningWishes()
    ) async throws -> Opening {
        try await open(secret: .password(password), client: client, wishes: wishes)
    }

    /// - Throws: `noSuchVault`, `tooManyAttempts`, `busy`.
    package func open(
        secret: VaultSecret, client: Client, wishes: OpeningWishes = OpeningWishes()
    ) async throws -> Opening {
        try await translating { [self] in
            do {
                return try await opening(of: try await openVault(secret, client), wishes)
            } catch VaultError.sessionEnded {
                // Somebody changed what opens the vault meanwhile; the secret may open it all the same.
                return try await opening(of: try await openVault(secret, client), wishes)
            }
        }
    }

    /// For requests that carry the password: `Authorization: Basic`, and the plain form's field.
    package func authenticate(password: Password, client: Client) async throws -> Session {
        try await translating { [self] in
            try await basic.session(password) { [self] in
                try session(of: try await openVault(.password(password), client))
            }
        }
    }

    private func openVault(_ secret: VaultSecret, _ client: Client) async throws -> VaultRegistry.Admission {
        try requireNotDraining()
        if case .password(let password) = secret, password.isEmpty { throw VaultError.passwordEmpty }
        return try await attempt(client) { [self] in
            let admission = try await registry.open(try await derivation.roots(of: secret))
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

    func session(of admission: VaultRegistry.Admission, kept: Session.Kept? = nil) throws -> Session {
        try Session(
            vault: admission.vault, accessEpoch: admission.epoch, way: admission.way, kept: kept, engine: engine,
            limits: configuration.limits)
    }

    private func opening(of admission: VaultRegistry.Admission, _ wishes: OpeningWishes) async throws -> Opening {
        let token = try SessionToken()
        let session = try self.session(
            of: admission, kept: wishes.keep ? try await kept(admission, token) : nil)
        try sessions.add(session, under: token.hash)
        var migration: Migration?
        var refusal = wishes.refusal
        if let guest = wishes.guest {
            do { migration = try await move(guest, into: session) } catch { refusal = VaultError(error) }
        }
        return Opening(
            session: session, token: token.text, deviceCookie: try devices.issue(), migration: migration,
            migrationRefusal: refusal)
    }

    /// Nil when the disk does not take it: that must not keep anybody from the photos.
    private func kept(_ admission: VaultRegistry.Admission, _ token: SessionToken) async throws -> Session.Kept? {
        do {
            return try await registry.keep(admission, token: token)
        } catch {
            guard VaultError(error) != .sessionEnded else { throw error }
            logger.warning("a session could not be kept", metadata: ["reason": "\(VaultError(error).code)"])
            return nil
        }
    }

    /// What has lain in "Recently deleted" for longer than it is kept goes for good; nothing does while the clock may
    /// be wrong.
    func purgeTrash(of vault: OpenVault) async throws {
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

    /// Ends this session, over restarts too. Keys are wiped with the vault's last one.
    /// - Throws: when a session that outlives the daemon could not be removed from the disk. It is ended all the same;
    ///   unless the vault is opened before, its token may bring it back after a restart.
    package func lock(_ session: Session) async throws {
        try await translating {
            let revocation = await result { try await revoke(session) { $0.id == session.kept?.id } }
            await sessions.end(session)
            try revocation.get()
        }
    }

    /// Ends all sessions of this vault, as `lock` does.
    package func lockEverywhere(_ session: Session) async throws {
        try await translating {
            let revocation = await result { try await revoke(session) { _ in true } }
            await sessions.endAll(of: session.vaultUID)
            try revocation.get()
        }
    }

    private func revoke(
        _ session: Session, where condition: @escaping @Sendable (KeptSession) -> Bool
    ) async throws {
        // A vault that takes no writes has nothing to revoke: it is not opened by such a session.
        guard let vault = try? session.requireVault(), !vault.isGuest, !vault.isReadOnly else { return }
        try await registry.revoke(vault, where: condition)
    }

    func result<R>(_ body: () async throws -> R) async -> Result<R, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    // MARK: Change, erase, accept

    /// With its recovery code as `current` the first password is replaced.
    /// - Throws: `noSuchVault` when `current` does not open this vault, the rules' errors, `passwordTaken`.
    package func changePassword(
        _ session: Session, current: Password, new: Password, confirmation: Password, client: Client
    ) async throws {
        let vault = try requireOwnVault(session)
        try PasswordRules.check(new, confirmation: confirmation)
        try await attempt(client) { [self] in
            let currentRoots = try await derivation.roots(of: .password(current))
            let newRoots = try await derivation.roots(of: .password(new))
            try await registry.change(
                vault, from: currentRoots, to: newRoots, keeping: session.kept?.id,
                isCounted: !client.address.isLoopback)
        }
        // Every other way that the old password opened is closed.
        await sessions.endAll(of: vault.uid, except: session)
    }

    /// Deletes the vault and everything in it, for good.
    package func erase(_ session: Session, password: Password, client: Client) async throws {
        let vault = try requireOwnVault(session)
        try await attempt(client) { [self] in
            try await registry.erase(vault, try await derivation.roots(of: .password(password)))
        }
        await sessions.endAll(of: vault.uid)
    }

    func requireOwnVault(_ session: Session) throws -> OpenVault {
        let vault = try session.requireVault()
        guard !vault.isGuest else { throw VaultError.vaultNeeded }
        return vault
    }

    /// Takes what is left of a damaged vault as the whole.
    package func acceptLoss(_ session: Session) async throws {
        let vault = try session.requireVault()
        try await translating { [self] in try await registry.acceptLoss(vault) }
    }

    // MARK: Attempts

    /// One attempt with a password or a setup code: on disk before anything is derived; only a success takes it back.
    func attempt<R>(_ client: Client, _ body: () async throws -> R) async throws -> R {
        try await translating { [self] in
            let attempt = try await throttle.begin(client)
            do {
                let result = try await body()
                await takeBackNowOrNever(attempt)
                return result
            } catch {
                let error = VaultError(error)
                if error.isNoGuess { try await throttle.takeBack(attempt) }
                throw error
            }
        }
    }

    /// What was done is done, and its answer may tell what is told once.
    private func takeBackNowOrNever(_ attempt: AttemptThrottle.Attempt) async {
        do {
            try await throttle.takeBack(attempt)
        } catch {
            logger.warning("an attempt goes on counting", metadata: ["reason": "\(VaultError(error).code)"])
        }
    }
}

extension VaultError {
    /// Failures that tell nothing about any password.
    fileprivate var isNoGuess: Bool {
        switch self {
        case .busy, .degraded, .diskFull, .draining, .internalFailure, .sessionEnded: true
        // The vault's own secret was right.
        case .damaged, .readOnly, .noSuchWay, .tooManyWays, .lastPassword, .passwordNeeded, .recoveryExists, .wayInUse,
            .passkeyBound:
            true
        default: false
        }
    }
}
