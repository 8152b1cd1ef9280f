import Content
package import Records
import Sealing
import Store
package import Unlocking
import Vault

/// What a window says to whoever looks through it.
package struct Sight: Sendable {
    package let terms: WindowTerms
    package let count: Int
    /// Another one, once what is shown has changed.
    package let version: UInt64
    /// A door that the owner shows here, and that is open.
    package let door: (code: String, name: String, takesUnencrypted: Bool)?
}

/// Those who come to a window with its code: they see what its list names, and nothing else.
extension VaultService {
    /// Of a list that is written anew meanwhile.
    private static let mostReadings = 3

    /// - Parameters:
    ///   - password: nil where none was given.
    ///   - cookie: what the browser brings; it says whether it was counted before.
    ///   - visit: what the browser calls this visit, at random: where the answer is lost, it comes again by that word.
    /// - Returns: the session, and the cookie by which it is found.
    /// - Throws: `noSuchWindow`, `windowShut`, `windowOver`, `windowFull`, `windowPassword`, `tooManyAttempts`, `busy`.
    package func enterWindow(
        _ code: WindowCode, password: Password?, cookie: ViewerCookie?, visit: [UInt8]? = nil, client: Client
    ) async throws -> (session: Session, cookie: ViewerCookie) {
        try requireNotDraining()
        let window = code.token
        let vault = try await translating { [self] in
            let notice = try await store.ledger.notice(ofWindow: window)
            try notice.terms.requireOpen(on: store.sessionDay)
            guard notice.terms.hasPassword else {
                return try await openVault(
                    ofWindow: window, SharedSecret(try WindowSecret.lockKey(of: window.bytes)))
            }
            guard let password, !password.isEmpty else { throw VaultError.windowPassword(isWrong: false) }
            // A password alone can be guessed at: whoever comes without a window's code keeps nobody waiting.
            return try await windowThrottle.guessing(client, at: window.id.bytes) { guess in
                try await openVault(
                    ofWindow: window, try await derivation.lockKey(of: password, window: window, for: guess))
            }
        }
        return try await translating { [self] in
            let cookie = try await admit(to: window, cookie, visit, client)
            try await makePlaceForVisitor(countedFor: nil)
            let session = try Session(
                vault: vault, device: DeviceKind(), neighbour: client.neighbourToCount, engine: engine,
                limits: configuration.limits)
            try sessions.add(session, under: cookie.token.hash)
            return (session, cookie)
        }
    }

    /// Of all who look through one window at the same time each sees the same.
    private func openVault(ofWindow token: WindowToken, _ lockKey: SharedSecret) async throws -> OpenVault {
        // Of those that come together one reads it.
        await windowOpening.acquire()
        defer { windowOpening.release() }
        // Its owner may have changed it while the password waited for its derivation.
        var notice = try await store.ledger.notice(ofWindow: token)
        for _ in 0..<Self.mostReadings {
            try notice.terms.requireOpen(on: store.sessionDay)
            guard let listKey = try WindowLock.open(notice.lock, under: lockKey.bytes, of: token) else {
                throw VaultError.windowPassword(isWrong: true)
            }
            if let present = engine.windows.vault(of: token.id) {
                if present.window?.isOpen(by: notice.lock) == true { return present }
                engine.windows.forget(token.id)
            }
            let (engine, read) = (engine, notice)
            let vault = try await engine.threads.run {
                try WindowView.open(token, read, listKey: listKey, engine: engine)
            }
            engine.windows.remember(vault)
            // It may have been written anew before anybody told this one of it.
            notice = try await store.ledger.notice(ofWindow: token)
            if notice.list == read.list, notice.lock == read.lock {
                try notice.terms.requireOpen(on: store.sessionDay)
                vault.window?.follow(notice, for: vault)
                return vault
            }
            engine.windows.forget(token.id)
        }
        throw VaultError.busy(retryAfter: .seconds(1))
    }

    /// Counts a browser that was not counted here in the last 30 days.
    private func admit(
        to window: WindowToken, _ cookie: ViewerCookie?, _ visit: [UInt8]?, _ client: Client
    ) async throws -> ViewerCookie {
        // One visit that is asked for twice at a time counts once, too.
        await windowOpening.acquire()
        defer { windowOpening.release() }
        let today = store.sessionDay
        let tickets = cookie?.tickets ?? []
        let notice = try await store.ledger.notice(ofWindow: window)
        if try notice.isAmong(tickets, on: today) { return try ViewerCookie(tickets: tickets) }
        if !(visit.map { engine.windows.isCounted($0, at: window.id, on: today) } ?? false) {
            // Each costs a commit, also where as many may come as will.
            if !client.address.isLoopback { try engine.guestAdmission.count(client, at: window.id) }
            try await store.ledger.commit(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    guard try transaction.changeWindow(of: window, { try $0.count(visitorOn: today) }) != nil else {
                        throw VaultError.noSuchWindow
                    }
                })
            if let visit { engine.windows.note(visit, at: window.id, on: today) }
        }
        return try ViewerCookie(tickets: [notice.ticket(on: today)] + tickets)
    }

    /// The session of a browser that looks; nil when it is unknown or over. Where the window's days are over, so are all
    /// sessions there, and their keys are gone: that somebody asks is no use of them.
    /// - Throws: `windowShut`, `windowOver`.
    package func viewer(_ cookie: ViewerCookie, isUse: Bool) async throws -> Session? {
        guard let session = sessions.session(key: cookie.token.hash, isUse: false), session.kind == .viewer,
            let window = session.openVault?.window, !window.isOver
        else { return nil }
        do {
            try window.notice.terms.requireOpen(on: store.sessionDay)
        } catch {
            await sessions.endViewers(on: store.sessionDay)
            throw error
        }
        if isUse, (try? session.touch()) == nil { return nil }
        return session
    }

    /// The keys go with the last who looks.
    package func endViewer(_ session: Session) async { await sessions.end(session) }

    /// What is seen in that session.
    /// - Throws: `sessionEnded`.
    package func sight(of session: Session) async throws -> Sight {
        guard let vault = session.openVault, let window = vault.window else { throw VaultError.sessionEnded }
        let notice = window.notice
        return Sight(
            terms: notice.terms, count: try await vault.library.photoCount(),
            // Also what was taken away without a new list counts.
            version: vault.library.listingNumber, door: try await openDoor(notice.door))
    }
}

extension VaultService {
    /// Nil where there is none, or nobody may give there now.
    private func openDoor(
        _ token: DoorToken?
    ) async throws -> (code: String, name: String, takesUnencrypted: Bool)? {
        guard let token, let notice = try? await store.ledger.notice(of: token),
            notice.terms.state(on: store.today) == .open
        else { return nil }
        return (try token.code(), notice.terms.name, notice.terms.takesUnencrypted)
    }
}

extension Session {
    /// What the window says through which it looks.
    /// - Throws: `sessionEnded`.
    package func windowTerms() throws -> WindowTerms {
        guard let window = openVault?.window else { throw VaultError.sessionEnded }
        return window.notice.terms
    }

    /// So many bytes are being sent to whoever looks.
    /// - Throws: `tooManyAttempts` when as many were fetched through the window today as may be; `sessionEnded`.
    package func takeFromWindow(_ byteCount: UInt64) throws {
        guard let vault = openVault, let window = vault.window else { throw VaultError.sessionEnded }
        try engine.windows.take(byteCount, from: window.token.id, on: vault.store.today)
    }
}
