package import Content
import Logging
package import Records
import Sealing
import Store
import Synchronization
package import Unlocking
import Vault

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
        options: OpeningOptions = OpeningOptions()
    ) async throws -> Opening {
        try requireNotDraining()
        try checkNew(password, confirmation: confirmation)
        if configuration.registration == .local, !client.address.isLoopback { throw VaultError.registrationClosed }
        return try await attempt(client) { [self] guess in
            if codeNeeded(for: client) {
                guard let code, try await presentSetupCode()?.matches(code, for: guess) == true else {
                    throw VaultError.setupCodeWrong
                }
            }
            let roots = try await derivation.roots(of: .password(password), for: guess)
            try registry.countNewVault()
            do {
                let recovery = makesRecoveryCode ? try DrawnRecoveryCode() : nil
                let admission = try await registry.create(
                    roots, recovery: try recovery.map(derivation.root(of:)), wrongGuesses: throttle.wrongCount)
                var opening = try await opening(of: admission, client, options)
                opening.recoveryCode = try recovery?.code.text()
                return opening
            } catch {
                // What no attempt is counted for may have told that a password is free.
                if !VaultError(error).isNoGuess { registry.giveBackNewVault() }
                throw error
            }
        }
    }

    /// The file is read each time: somebody may have made another code meanwhile, or the code has had its last day.
    private func presentSetupCode() async throws -> SetupCode? {
        try await engine.threads.run { [configuration] in
            guard let code = SetupCode.read(dataPath: configuration.dataPath),
                code.counts(on: configuration.today())
            else { return nil }
            return code
        }
    }

    // MARK: Open

    /// - Throws: `noSuchVault`, `onlyForApps`, `tooManyAttempts`, `busy`.
    package func open(
        password: Password, client: Client, options: OpeningOptions = OpeningOptions()
    ) async throws -> Opening {
        try await open(secret: .password(password), client: client, options: options)
    }

    /// - Throws: `noSuchVault`, `tooManyAttempts`, `busy`.
    package func open(
        secret: VaultSecret, client: Client, options: OpeningOptions = OpeningOptions()
    ) async throws -> Opening {
        try await translating { [self] in
            do {
                return try await opening(of: try await openVault(secret, client), client, options)
            } catch VaultError.sessionEnded {
                // Somebody changed what opens the vault meanwhile; the secret may open it all the same.
                return try await opening(of: try await openVault(secret, client), client, options)
            }
        }
    }

    /// For requests that carry the password: `Authorization: Basic`, and the plain form's field.
    ///
    /// What one address has opened is no answer for another, and none for an address that must wait.
    package func authenticate(password: Password, client: Client) async throws -> Session {
        try await translating { [self] in
            try requireNotDraining()
            guard !password.isEmpty else { throw VaultError.passwordEmpty }
            let hash = try basic.keyedHash(of: password, from: client, on: store.today)
            var own: BasicOpening?
            do {
                let known: BasicSessions.Known = try await throttle.guessing(client) { guess in
                    basic.recall(hash, for: guess, beginning: &own)
                } comparing: { guess -> BasicSessions.Known in
                    if let code = password.doorCode,
                        let sender = try await self.sender(with: code.token(for: guess), for: guess, client)
                    {
                        return BasicSessions.Known.open(sender)
                    }
                    return .open(try session(of: try await openVault(.password(password), for: guess), client))
                }
                guard case .open(let session) = known else { return try await known.session() }
                if own != nil { try sessions.add(session, under: hash) }
                if own != nil, let vault = session.openVault { doors.vaultOpened(vault) }
                basic.finish(own, of: hash, .success(session))
                if own != nil { await sessions.endExcess(besides: session, limits: configuration.limits) }
                return session
            } catch {
                basic.finish(own, of: hash, .failure(VaultError(error)))
                throw error
            }
        }
    }

    private func openVault(_ secret: VaultSecret, _ client: Client) async throws -> VaultRegistry.Admission {
        try requireNotDraining()
        if case .password(let password) = secret, password.isEmpty { throw VaultError.passwordEmpty }
        return try await attempt(client) { [self] guess in try await openVault(secret, for: guess) }
    }

    private func openVault(_ secret: VaultSecret, for guess: consuming Guess) async throws -> VaultRegistry.Admission {
        let roots = try await derivation.roots(of: secret, for: guess)
        let admission = try await registry.open(roots)
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

    func session(
        of admission: VaultRegistry.Admission, _ client: Client?, kept: ResumableSession? = nil,
        device: DeviceKind? = nil, wrongGuesses: UInt64 = 0
    ) throws -> Session {
        try Session(
            vault: admission.vault, accessEpoch: admission.epoch, way: admission.way, kept: kept, device: device,
            neighbour: client?.neighbourToCount, wrongGuesses: wrongGuesses, engine: engine,
            limits: configuration.limits)
    }

    /// How many guesses of this house were wrong since the vault was opened last; the vault's head remembers how far it
    /// was told. Where the disk does not take that, the next opening tells it again.
    private func takeWrongGuesses(of vault: OpenVault) async -> UInt64 {
        let (now, before) = (throttle.wrongCount, vault.head.wrongGuesses)
        guard now != before, !vault.isReadOnly else { return now > before ? now - before : 0 }
        do {
            try await vault.change { $0.draft.head.wrongGuesses = now }
        } catch {
            logger.warning("wrong guesses are not noted", metadata: ["reason": "\(VaultError(error).code)"])
        }
        // A ledger that was put back from a copy may know of fewer than the vault.
        return now > before ? now - before : 0
    }

    private func opening(
        of admission: VaultRegistry.Admission, _ client: Client, _ options: OpeningOptions
    ) async throws -> Opening {
        guard admission.vault.kind(of: admission.way) != .app else { throw VaultError.onlyForApps }
        let deviceCookie = try await deviceCookie(of: client, opening: admission.vault)
        let token = try SessionToken()
        let session = try self.session(
            of: admission, client, kept: options.keep ? try await kept(admission, token, options.device) : nil,
            device: options.device, wrongGuesses: await takeWrongGuesses(of: admission.vault))
        throttle.note(deviceCookie, of: client, opened: admission.vault.uid)
        try sessions.add(session, under: token.hash)
        await sessions.endExcess(besides: session, limits: configuration.limits)
        doors.vaultOpened(admission.vault)
        var migration: Migration?
        var refusal = options.refusal
        if let guest = options.guest {
            do { migration = try await move(guest, into: session) } catch { refusal = VaultError(error) }
        }
        return Opening(
            session: session, token: token.text, deviceCookie: deviceCookie, migration: migration,
            migrationRefusal: refusal)
    }

    /// The cookie that the device has, else a new one: a device is one, however often it opens a vault. What it has of
    /// ghosts joins in, as a rule before the first change of a run.
    private func deviceCookie(of client: Client, opening vault: OpenVault) async throws -> String {
        if let cookie = client.deviceCookie, let bytes = devices.bytes(of: cookie) {
            await ghosts?.attend(bytes)
            return cookie
        }
        return DeviceCookies.text(try ghosts?.takeCookie(for: vault.uid) ?? devices.draw())
    }

    /// Nil when the disk does not take it: that must not keep anybody from the photos.
    private func kept(
        _ admission: VaultRegistry.Admission, _ token: SessionToken, _ device: DeviceKind
    ) async throws -> ResumableSession? {
        do {
            return try await registry.keep(admission, token: token, device: device)
        } catch {
            guard VaultError(error) != .sessionEnded else { throw error }
            logger.warning("a session could not be kept", metadata: ["reason": "\(VaultError(error).code)"])
            return nil
        }
    }

    /// What has lain in "Recently deleted" for longer than it is kept goes for good; nothing does while the clock may
    /// be wrong.
    func purgeTrash(of vault: OpenVault) async throws {
        guard !vault.isReadOnly, try await engine.threads.run({ try vault.store.isClockTrusted() }) else { return }
        let kept = UInt64(configuration.limits.trashDays) * 86_400_000
        let limit = Milliseconds.now
        guard limit > kept else { return }
        let expired = try await vault.library.trashSerials(before: limit - kept)
        guard !expired.isEmpty else { return }
        _ = try await vault.removeForGood(expired)
        try await engine.removals.finish()
    }

    // MARK: Lock

    /// Ends this session, over restarts too. Keys are wiped with the vault's last one.
    /// - Throws: when a session that outlives the daemon could not be removed from the disk. It is ended all the same;
    ///   unless the vault is opened before, its token may bring it back after a restart.
    package func lock(_ session: Session) async throws {
        try await translating {
            let revocation = await result { try await revoke(session) { $0.id == session.kept?.id } }
            await sessions.end(session)
            await quiesceIfLocked()
            try revocation.get()
        }
    }

    /// Ends all sessions of this vault, as `lock` does.
    package func lockEverywhere(_ session: Session) async throws {
        try await translating {
            let revocation = await result { try await revoke(session) { _ in true } }
            await sessions.endAll(of: session.vaultUID)
            await quiesceIfLocked()
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
        try checkNew(new, confirmation: confirmation)
        try await attempt(client) { [self] guess in
            let roots = try await derivation.roots(of: [.password(current), .password(new)], for: guess)
            try await registry.change(
                vault, from: roots[0], to: roots[1], keeping: session.kept?.id)
        }
        // Every other way that the old password opened is closed.
        await sessions.endAll(of: vault.uid, except: session)
    }

    /// Deletes the vault and everything in it, for good.
    package func erase(_ session: Session, password: Password, client: Client) async throws {
        let vault = try requireOwnVault(session)
        try await attempt(client) { [self] guess in
            try await registry.erase(vault, try await derivation.roots(of: .password(password), for: guess))
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
        doors.vaultOpened(vault)
    }

    // MARK: Attempts

    /// One attempt with a secret: on disk before anything is derived; only a success takes it back.
    func attempt<R>(_ client: Client, _ body: (consuming Guess) async throws -> R) async throws -> R {
        try await translating { [self] in try await throttle.guessing(client, comparing: body) }
    }
}

extension BasicSessions.Known {
    fileprivate func session() async throws(VaultError) -> Session {
        switch self {
        case .open(let session): session
        case .opening(let opening): try await opening.session()
        }
    }
}

extension VaultService {
    /// Every place where a password is chosen asks here.
    func checkNew(_ password: Password, confirmation: Password) throws(VaultError) {
        guard let passwordRules else { throw .internalFailure("common passwords were not read, so none can be chosen") }
        try passwordRules.check(password, confirmation: confirmation)
    }
}

/// Public facts; the same whether or not any vault exists.
package struct Hello: Sendable {
    package var registration: Registration
    package var takesGuests: Bool
    /// The largest file taken, in bytes.
    package var fileByteLimit: UInt64
    /// Days that a deleted photo can be restored.
    package var trashDays: Int
}
