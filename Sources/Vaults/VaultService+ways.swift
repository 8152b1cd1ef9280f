import FoundationEssentials
package import Records
import Sealing
package import Unlocking

/// Ways into a vault. Who adds or removes one types a secret of the vault once more: a phone left open must neither give
/// a way in nor shut anybody out.
extension VaultService {
    /// Oldest first.
    /// - Throws: `sessionEnded`, `vaultNeeded`.
    package func ways(of session: Session) throws -> [Way] {
        let vault = try requireOwnVault(session)
        let first = WayRecord(
            id: .first, kind: .password, label: "", createdDay: UInt32(clamping: vault.head.createdDay), slotSets: [])
        return ((vault.kind(of: .first) == nil ? [] : [first]) + vault.ways).map { way($0, session) }
    }

    private func way(_ record: WayRecord, _ session: Session) -> Way {
        Way(
            id: record.id.text, kind: record.kind, label: record.label,
            createdAt: Date(timeIntervalSince1970: Double(record.createdDay) * 86_400),
            isCurrent: record.id == session.way)
    }

    /// - Throws: `noSuchVault` when `current` does not open this vault, the password rules' errors, `passwordTaken`,
    ///   `tooManyWays`, `labelTooLong`, `tooManyAttempts`.
    package func addPassword(
        _ session: Session, current: Password, new: Password, confirmation: Password, label: String, client: Client
    ) async throws -> Way {
        try checkNew(new, confirmation: confirmation)
        return try await add(session, current: current, label: label, .typed(.password(new)), client) { roots in
            VaultRegistry.NewWay(kind: .password, label: label, roots: roots)
        }.way
    }

    /// - Parameter replaces: whether the one that there is goes, once the new one opens the vault.
    /// - Returns: the way, and the code, which is kept nowhere.
    /// - Throws: as `addPassword`; `recoveryExists`, `wayInUse`.
    package func addRecoveryCode(
        _ session: Session, current: Password, replaces: Bool, label: String, client: Client
    ) async throws -> (way: Way, code: String) {
        let drawn = try translated { try DrawnRecoveryCode() }
        let addition = try await add(session, current: current, label: label, .drawn(drawn), client) { roots in
            VaultRegistry.NewWay(kind: .recovery, label: label, roots: roots, replaces: replaces)
        }
        return (addition.way, try translated { try drawn.code.text() })
    }

    /// For a program of one device, which sends the code as the password with each request (RFC 7617).
    /// - Returns: the way, and the code, which is kept nowhere.
    /// - Throws: as `addPassword`.
    package func addAppCode(
        _ session: Session, current: Password, label: String, client: Client
    ) async throws -> (way: Way, code: String) {
        let drawn = try translated { try DrawnRecoveryCode() }
        let addition = try await add(session, current: current, label: label, .drawn(drawn), client) { roots in
            VaultRegistry.NewWay(kind: .app, label: label, roots: roots)
        }
        return (addition.way, try translated { try drawn.code.text() })
    }

    /// - Parameter rebinds: whether it is taken from another vault that it opens.
    /// - Returns: the way, and whether it is new.
    /// - Throws: as `addPassword`; `passkeyBound`.
    package func addPasskey(
        _ session: Session, current: Password, secret: PasskeySecret, rebinds: Bool, label: String, client: Client
    ) async throws -> (way: Way, isNew: Bool) {
        try await add(session, current: current, label: label, .typed(.passkey(secret)), client) { roots in
            VaultRegistry.NewWay(kind: .passkey, label: label, roots: roots, rebinds: rebinds)
        }
    }

    /// Sessions that came in this way end, those that outlive the daemon too.
    /// - Throws: `noSuchVault` when `current` does not open this vault, `noSuchWay`, `lastPassword`, `tooManyAttempts`.
    package func removeWay(_ session: Session, _ id: String, current: Password, client: Client) async throws {
        let vault = try requireOwnVault(session)
        guard let way = WayID(text: id) else { throw VaultError.noSuchWay }
        try await attempt(client) { [self] guess in
            let proof = try await derivation.roots(of: .password(current), for: guess)
            try await revoking { [self] in try await registry.remove(way, of: vault, proof: proof) }
        }
    }

    private enum NewSecret {
        case typed(VaultSecret)
        case drawn(DrawnRecoveryCode)
    }

    private func add(
        _ session: Session, current: Password, label: String, _ secret: NewSecret, _ client: Client,
        _ new: ([SharedRoot]) -> VaultRegistry.NewWay
    ) async throws -> (way: Way, isNew: Bool) {
        let vault = try requireOwnVault(session)
        guard !vault.isReadOnly else { throw VaultError.readOnly }
        try WayRecord.requireValid(label: label)
        let addition = try await attempt(client) { [self] guess in
            let (proof, roots) = try await roots(of: current, and: secret, for: guess)
            let new = new(roots)
            return try await revoking { [self] in
                try await registry.add(new, to: vault, proof: proof)
            }
        }
        return (way(addition.way, session), addition.isNew)
    }

    private func roots(
        of current: Password, and secret: NewSecret, for guess: consuming Guess
    ) async throws -> (proof: [SharedRoot], new: [SharedRoot]) {
        switch secret {
        case .typed(let secret):
            let roots = try await derivation.roots(of: [.password(current), secret], for: guess)
            return (roots[0], roots[1])
        case .drawn(let drawn):
            return (
                try await derivation.roots(of: .password(current), for: guess), [try derivation.root(of: drawn)]
            )
        }
    }

    /// Ends the sessions of ways that `change` has taken out, also when it fails after that.
    private func revoking<R: Sendable>(_ change: @Sendable () async throws -> R) async throws -> R {
        let outcome = await result(change)
        for revocation in registry.takeRevocations() {
            await sessions.endAll(of: revocation.vaultUID, through: revocation.way)
        }
        return try outcome.get()
    }
}

extension VaultService {
    /// Gives the vault another key, for when somebody may have a copy of the disk. Only the password that is typed opens
    /// it from then on; all other sessions end.
    /// - Returns: false when the last step could not be made; the next opening makes it.
    /// - Throws: `noSuchVault` when the password does not open this vault, `passwordNeeded` for its recovery code,
    ///   `readOnly` when a part of the vault is missing, `tooManyAttempts`, `diskFull`.
    package func rotateKey(_ session: Session, password: Password, client: Client) async throws -> Bool {
        let vault = try requireOwnVault(session)
        guard !vault.isReadOnly, vault.damage?.isOfRows != true else { throw VaultError.readOnly }
        let isFinished = try await attempt(client) { [self] guess in
            try await registry.rotate(
                vault, try await derivation.roots(of: .password(password), for: guess))
        }
        await sessions.endAll(of: vault.uid, except: session)
        return isFinished
    }
}

extension VaultDamage {
    fileprivate var isOfRows: Bool { missingEntries > 0 || isSetBack }
}
