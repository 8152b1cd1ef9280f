import Content
package import Records
import Sealing
import Store
package import Unlocking
import Vault

/// A window as its owner sees it.
package struct Window: Sendable {
    package let record: WindowRecord
    /// XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX.
    package let code: String
    package let state: DoorTerms.State
    package let visitorCount: UInt32
    /// Days since 1970; nil where nobody came yet.
    package let lastSeen: UInt32?
    /// Photos that are shown.
    package let count: Int
}

/// What a window's owner changes of it; nil leaves it as it is.
package struct WindowChange: Sendable {
    package var name: String?
    package var lastDay: UInt32?
    /// 0 for any number.
    package var mostVisitors: UInt32?
    package var hasOriginals: Bool?
    package var showsPlaces: Bool?
    package var isShut: Bool?
    /// An empty one takes it away.
    package var password: Password?
    /// Ids of photos.
    package var photos: [String]?
    /// Of an album; of a new window only.
    package var album: String?
    /// Of a door whose code visitors are shown; empty for none.
    package var door: String?

    package init() {}
}

/// Windows of the open vault.
extension VaultService {
    /// The oldest first.
    /// - Throws: `vaultNeeded`, `sessionEnded`.
    package func windows(of session: Session) async throws -> [Window] {
        let vault = try requireOwnVault(session)
        return try await translating { [self] in try await describe(vault.windows, of: vault) }
    }

    /// - Throws: `noSuchWindow`, `vaultNeeded`, `sessionEnded`.
    package func window(_ id: String, of session: Session) async throws -> Window {
        let vault = try requireOwnVault(session)
        guard let name = WindowName(text: id) else { throw VaultError.noSuchWindow }
        return try await translating { [self] in
            guard let window = try await describe([try vault.window(name)], of: vault).first else {
                throw VaultError.noSuchWindow
            }
            return window
        }
    }

    /// - Throws: `windowNameInvalid`, `lastDayInvalid`, `windowTooLarge`, `noSuchPhoto`, `noSuchAlbum`, `noSuchDoor`,
    ///   `tooManyWindows`, the password rules' errors, `readOnly`, `diskFull`, `vaultFull`.
    package func makeWindow(_ wanted: WindowChange, of session: Session, client: Client) async throws -> Window {
        _ = try requireOwnVault(session)
        let vault = try session.requireWritableVault()
        guard let name = wanted.name else { throw VaultError.windowNameInvalid }
        guard let lastDay = wanted.lastDay else { throw VaultError.lastDayInvalid }
        guard vault.windows.count < WindowRecord.most else { throw VaultError.tooManyWindows }
        return try await translating { [self] in
            let album = try wanted.album.map { text throws(VaultError) in
                guard let id = AlbumID(text: text), vault.hasAlbum(id) else { throw .noSuchAlbum }
                return id
            }
            guard (album == nil) != (wanted.photos == nil) else { throw VaultError.windowTooLarge }
            var plan = try vault.newWindow(
                WindowTerms(name: name, lastDay: lastDay), album: album, serials: [], door: nil)
            try await apply(wanted, to: &plan, of: session)
            try await lock(&plan, with: wanted.password, client)
            try await write(plan, of: vault)
            return try await window(plan.record.id.text, of: session)
        }
    }

    /// - Throws: as `makeWindow`; `noSuchWindow`.
    package func changeWindow(
        _ id: String, _ wanted: WindowChange, of session: Session, client: Client
    ) async throws -> Window {
        _ = try requireOwnVault(session)
        let vault = try session.requireWritableVault()
        guard let name = WindowName(text: id), wanted.album == nil else { throw VaultError.noSuchWindow }
        return try await translating { [self] in
            await vault.windowing.acquire()
            defer { vault.windowing.release() }
            var plan = try await engine.threads.run { try vault.plan(of: name) }
            guard wanted.photos == nil || plan.record.album == nil else { throw VaultError.windowTooLarge }
            try await apply(wanted, to: &plan, of: session)
            if wanted.password != nil { try await lock(&plan, with: wanted.password, client) }
            try await vault.write(plan)
            return try await window(id, of: session)
        }
    }

    /// Nobody sees it any more, from here on.
    /// - Throws: `noSuchWindow`, `vaultNeeded`, `readOnly`.
    package func closeWindow(_ id: String, of session: Session) async throws {
        _ = try requireOwnVault(session)
        let vault = try session.requireWritableVault()
        guard let name = WindowName(text: id) else { throw VaultError.noSuchWindow }
        try await translating { [self] in
            await vault.windowing.acquire()
            defer { vault.windowing.release() }
            let token = try await engine.threads.run { try vault.token(of: vault.window(name)) }
            try await vault.change(mayUseReserve: true) { try $0.closeWindow(name) }
            await sessions.endAll(through: token.id)
            // What the ledger's copies keep of it opens nothing that is there.
            await registry.finishMove()
        }
    }

    private func write(_ plan: WindowPlan, of vault: OpenVault) async throws {
        await vault.windowing.acquire()
        defer { vault.windowing.release() }
        try await vault.write(plan)
    }

    private func apply(_ wanted: WindowChange, to plan: inout WindowPlan, of session: Session) async throws {
        if let name = wanted.name { plan.record.terms.name = try Self.windowName(name) }
        if let lastDay = wanted.lastDay {
            // A day more for those who live east of Greenwich.
            let today = store.sessionDay
            guard (today...today + LedgerTransaction.mostDoorDays).contains(lastDay) else {
                throw VaultError.lastDayInvalid
            }
            plan.record.terms.lastDay = lastDay
        }
        plan.record.terms.mostVisitors = wanted.mostVisitors ?? plan.record.terms.mostVisitors
        plan.record.terms.hasOriginals = wanted.hasOriginals ?? plan.record.terms.hasOriginals
        plan.record.terms.showsPlaces = wanted.showsPlaces ?? plan.record.terms.showsPlaces
        plan.record.terms.isShut = wanted.isShut ?? plan.record.terms.isShut
        if let photos = wanted.photos {
            plan.record.serials = try await session.serialsToShow(photos, beside: plan.record.serials)
        }
        guard let door = wanted.door else { return }
        let vault = try session.requireVault()
        guard let id = vault.doors.first(where: { $0.id.text == door })?.id else {
            guard door.isEmpty else { throw VaultError.noSuchDoor }
            (plan.record.door, plan.door) = (nil, nil)
            return
        }
        plan.record.door = id
        plan.door = try await engine.threads.run { try vault.keys(of: id).token }
    }

    private static func windowName(_ name: String) throws(VaultError) -> String {
        guard name.unicodeScalars.count <= DoorTerms.longestName, let text = try? AlbumName(name).text else {
            throw .windowNameInvalid
        }
        return text
    }

    /// - Parameter password: nil or empty for none.
    private func lock(_ plan: inout WindowPlan, with password: Password?, _ client: Client) async throws {
        let token = try plan.token()
        guard let password, !password.isEmpty else {
            return try plan.lock(under: try WindowSecret.lockKey(of: token.bytes), hasPassword: false)
        }
        try checkNew(password, confirmation: password)
        let key = try await windowThrottle.guessing(client) { [derivation] guess in
            try await derivation.lockKey(of: password, window: token, for: guess)
        }
        try plan.lock(under: key.bytes, hasPassword: true)
    }

    private func describe(_ records: [WindowRecord], of vault: OpenVault) async throws -> [Window] {
        let today = store.sessionDay
        return try await engine.threads.run {
            try records.map { record in
                let token = try vault.token(of: record)
                let body = try vault.store.ledger.readBlocking { try $0.door(token.id) }
                let notice = try body.flatMap { try WindowNotice.opened($0, token: token) }
                return Window(
                    record: record, code: try token.code(), state: record.terms.state(on: today),
                    visitorCount: notice?.visitorCount ?? 0,
                    lastSeen: notice.flatMap { $0.lastSeen == 0 ? nil : $0.lastSeen },
                    count: try vault.shownCount(of: record))
            }
        }
    }
}

extension Session {
    /// Names of the windows whose lists cannot be read: opening the vault in the daemon writes them anew.
    package func damagedWindows() async throws -> [String] {
        let vault = try requireVault()
        // Nobody writes one anew meanwhile.
        await vault.windowing.acquire()
        defer { vault.windowing.release() }
        return try await reading {
            try vault.windows.filter { record in
                try !WindowView.isSound(record, vault.secret(of: record.id), vault.store)
            }.map(\.terms.name)
        }
    }

    /// The photos of a selection by their numbers: those that were shown keep theirs.
    /// - Throws: `noSuchPhoto`, `windowTooLarge`.
    fileprivate func serialsToShow(_ ids: [String], beside former: [UInt64]) async throws -> [UInt64] {
        let vault = try requireOwnVault()
        guard (1...WindowRecord.mostSelected).contains(ids.count) else { throw VaultError.windowTooLarge }
        var wanted: Set<UInt64> = []
        for id in ids {
            let photo = try await libraryPhoto(id, in: vault)
            guard photo.deletedAt == nil else { throw VaultError.noSuchPhoto }
            wanted.insert(photo.serial)
        }
        let kept = former.map { wanted.contains($0) ? $0 : WindowRecord.nobody }
        let numbers = kept + wanted.subtracting(kept).sorted()
        return numbers.count > WindowNotice.mostNumbers ? wanted.sorted() : numbers
    }
}
