import Content
package import Records
import Sealing
import Store
package import Vault

/// A door as its owner sees it.
package struct Door: Sendable {
    package let record: DoorRecord
    /// XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX.
    package let code: String
    package let state: DoorTerms.State
    package let givenByteCount: UInt64
    package let givenPhotoCount: UInt32
    package let waitingCount: Int
    /// The album of its name, where there is one.
    package let album: AlbumID?
    /// Why something that came is still outside, as `vaultFull`.
    package let obstacle: VaultError?
}

/// What a door's owner changes of it; nil leaves it as it is.
package struct DoorChange: Sendable {
    package var name: String?
    package var lastDay: UInt32?
    package var byteLimit: UInt64?
    package var photoLimit: UInt32?
    package var asksName: Bool?
    package var looksFirst: Bool?
    package var takesUnencrypted: Bool?
    package var isShut: Bool?

    package init() {}
}

/// What came through a door and its owner was not told of yet.
package struct DoorNews: Sendable {
    package let door: DoorRecord
    /// Of what came, and also waits.
    package let waitingCount: Int
    /// Why something that came is still outside.
    package let obstacle: VaultError?
}

/// Doors of the open vault.
extension VaultService {
    /// The oldest first.
    /// - Throws: `vaultNeeded`, `sessionEnded`.
    package func doors(of session: Session) async throws -> [Door] {
        let vault = try requireOwnVault(session)
        return try await describe(vault.doors, of: vault)
    }

    /// - Throws: `noSuchDoor`, `vaultNeeded`, `sessionEnded`.
    package func door(_ id: String, of session: Session) async throws -> Door {
        let vault = try requireOwnVault(session)
        guard let record = vault.doors.first(where: { $0.id.text == id }),
            let door = try await describe([record], of: vault).first
        else { throw VaultError.noSuchDoor }
        return door
    }

    /// - Throws: `doorNameInvalid`, `lastDayInvalid`, `tooManyDoors`, `vaultNeeded`, `readOnly`, `diskFull`.
    package func makeDoor(_ wanted: DoorChange, of session: Session) async throws -> Door {
        _ = try requireOwnVault(session)
        let vault = try session.requireWritableVault()
        guard let name = wanted.name else { throw VaultError.doorNameInvalid }
        guard let lastDay = wanted.lastDay else { throw VaultError.lastDayInvalid }
        var terms = DoorTerms(name: name, lastDay: lastDay)
        try apply(wanted, to: &terms)
        let made = terms
        return try await translating { [self] in
            let record = try await vault.change { try $0.makeDoor(made) }
            let keys = try await engine.threads.run { try vault.keys(of: record.id) }
            doors.note([(keys.token.id, record.id)], of: vault)
            return try await door(record.id.text, of: session)
        }
    }

    /// - Throws: as `makeDoor`; `noSuchDoor`.
    package func changeDoor(_ id: String, _ wanted: DoorChange, of session: Session) async throws -> Door {
        _ = try requireOwnVault(session)
        let vault = try session.requireWritableVault()
        guard let name = DoorName(text: id) else { throw VaultError.noSuchDoor }
        return try await translating { [self] in
            // What another session changes at the same time stays changed.
            try await vault.change { change in
                try change.updateDoor(name) { try self.apply(wanted, to: &$0.terms) }
            }
            if wanted.takesUnencrypted == false {
                // Whoever sends unencrypted at this moment is stopped.
                await sessions.endReadable(at: try await engine.threads.run { try vault.keys(of: name).token.id })
            }
            return try await door(id, of: session)
        }
    }

    private func apply(_ wanted: DoorChange, to terms: inout DoorTerms) throws(VaultError) {
        if let name = wanted.name { terms.name = try Self.doorName(name) }
        if let lastDay = wanted.lastDay {
            // A day more for those who live east of Greenwich.
            guard (store.today...store.today + LedgerTransaction.mostDoorDays).contains(lastDay) else {
                throw .lastDayInvalid
            }
            terms.lastDay = lastDay
        }
        terms.byteLimit = wanted.byteLimit ?? terms.byteLimit
        terms.photoLimit = wanted.photoLimit ?? terms.photoLimit
        terms.asksName = wanted.asksName ?? terms.asksName
        terms.looksFirst = wanted.looksFirst ?? terms.looksFirst
        terms.takesUnencrypted = wanted.takesUnencrypted ?? terms.takesUnencrypted
        terms.isShut = wanted.isShut ?? terms.isShut
    }

    /// It becomes an album's name, too.
    private static func doorName(_ name: String) throws(VaultError) -> String {
        guard name.unicodeScalars.count <= DoorTerms.longestName, let text = try? AlbumName(name).text else {
            throw .doorNameInvalid
        }
        return text
    }

    /// Takes what has come, then nobody comes by it any more. The door is only shut, and stays, while something is
    /// outside: without its keys nobody could take that any more.
    /// - Throws: `noSuchDoor`, `vaultNeeded`, `readOnly`; `busy` while somebody is sending, `vaultFull`.
    package func removeDoor(_ id: String, of session: Session) async throws {
        _ = try requireOwnVault(session)
        let vault = try session.requireWritableVault()
        guard let name = DoorName(text: id) else { throw VaultError.noSuchDoor }
        // Nobody brings more while it is emptied.
        var change = DoorChange()
        change.isShut = true
        _ = try await changeDoor(id, change, of: session)
        if let obstacle = await doors.takeAll(into: vault, only: name) { throw obstacle }
        try await translating { [self] in
            let keys = try await engine.threads.run { try vault.keys(of: name) }
            try await vault.change(mayUseReserve: true) { try $0.removeDoor(name) }
            doors.forget(keys.token.id)
            await registry.finishMove()
        }
    }

    private func describe(_ records: [DoorRecord], of vault: OpenVault) async throws -> [Door] {
        let waiting = try await vault.library.waiting()
        let today = store.today
        return try await engine.threads.run {
            try records.map { record in
                let keys = try vault.keys(of: record.id)
                let body = try vault.store.ledger.readBlocking { try $0.door(keys.token.id) }
                let notice = try body.flatMap { try DoorNotice.opened($0, token: keys.token) }
                return Door(
                    record: record, code: try keys.token.code(), state: record.terms.state(on: today),
                    givenByteCount: notice?.givenByteCount ?? 0, givenPhotoCount: notice?.givenPhotoCount ?? 0,
                    waitingCount: waiting.count { $0.given?.door == record.id },
                    album: vault.album(named: record.terms.name),
                    obstacle: vault.stuckDoors.reason(at: record.id))
            }
        }
    }

    // MARK: News

    /// Of doors through which something came since the owner has last put the news away, and of those where something
    /// that came is still outside.
    package func doorNews(of session: Session) async throws -> [DoorNews] {
        let vault = try requireOwnVault(session)
        let waiting = try await vault.library.waiting()
        return vault.doors.compactMap { record in
            let obstacle = vault.stuckDoors.reason(at: record.id)
            guard record.newsCount > 0 || obstacle != nil else { return nil }
            return DoorNews(
                door: record, waitingCount: waiting.count { $0.given?.door == record.id }, obstacle: obstacle)
        }
    }

    package func forgetDoorNews(of session: Session) async throws {
        _ = try requireOwnVault(session)
        let vault = try session.requireWritableVault()
        let told = vault.doors.filter { $0.newsCount > 0 }.map(\.id)
        guard !told.isEmpty else { return }
        try await translating {
            try await vault.change { change in
                for door in told { try change.updateDoor(door) { $0.forgetNews() } }
            }
        }
    }
}

extension Session {
    /// What waits until its owner has looked, the last that came first.
    package func waitingPhotos() async throws -> [Photo] {
        let vault = try requireOwnVault()
        return try await vault.library.waiting().map(photo)
    }

    /// - Returns: how many of these waited.
    package func takeWaiting(_ ids: [String]) async throws -> Int {
        let vault = try requireOwnVault()
        let (serials, today) = (try serials(ids), vault.store.today)
        return try await translating {
            let count = try await vault.inParts(serials) { part, change in
                try change.takeWaiting(Array(part), today: today)
            }
            await vault.reap()
            return count
        }
    }

    /// They lie in "Recently deleted" from then on.
    package func refuseWaiting(_ ids: [String]) async throws -> Int {
        let vault = try requireOwnVault()
        let serials = try serials(ids)
        let moment = try await trash.momentOfDeletion()
        return try await translating {
            try await vault.inParts(serials) { part, change in
                try change.refuseWaiting(Array(part), at: moment)
            }
        }
    }
}

extension Session {
    /// The door by which it came; nil for others. Asking does not count as use of the session.
    package var door: DoorSpace? { openVault?.door }

    /// What the owner takes goes on standing where its program sent it.
    /// - Parameter body: says folders and name of a photo by its id; nil where none is known.
    package func whenAskedForPlaces(_ body: @escaping @Sendable (_ id: String) -> [String]?) {
        door?.whenAskedForPlaces { [weak self] serial in self.flatMap { body($0.handle(serial)) } }
    }

    /// What a request that sends keeps as long as it runs, where it came by a door.
    /// - Throws: `sessionEnded` once the owner takes what is there.
    func enterDoor() throws(VaultError) -> DoorSpace.Pass? {
        guard let door = try requireVault().door else { return nil }
        return try door.enter()
    }

    /// The same for one that brings so many bytes, which the door must be open for.
    /// - Throws: `doorShut`, `doorExpired`, `doorFull`, `noSuchDoor`, `sessionEnded`.
    func enterDoor(bringing byteCount: UInt64) async throws -> DoorSpace.Pass? {
        guard let door = try requireVault().door else { return nil }
        let pass = try door.enter()
        let notice = try await notice(of: door)
        try notice.terms.requireOpen(on: engine.store.today)
        guard notice.photosLeft > 0, notice.bytesLeft >= byteCount else { throw VaultError.doorFull }
        return pass
    }

    /// What the door says of itself.
    /// - Throws: `noSuchDoor` once it is gone, `vaultNeeded` for a session that did not come by one.
    package func doorNotice() async throws -> DoorNotice {
        guard let door = try requireVault().door else { throw VaultError.vaultNeeded }
        return try await notice(of: door)
    }

    /// For a request that others may read.
    /// - Throws: `doorNeedsEncryption` unless the door's owner wants that now.
    package func requireUnencryptedDoor() async throws {
        // Before the door is asked: an owner who changes it at this moment either is heard here, or ends this session.
        noteReadable()
        guard try await doorNotice().terms.takesUnencrypted else { throw VaultError.doorNeedsEncryption }
    }

    private func notice(of door: DoorSpace) async throws -> DoorNotice {
        try await engine.store.ledger.notice(of: door.token)
    }

    /// What was given and the owner has not taken yet.
    package func givenSoFar() async throws -> StoredPhotos { try await requireVault().library.storage().photos }

    /// A photo that its giver takes back, for good.
    /// - Throws: `noSuchPhoto`.
    package func takeBack(_ id: String) async throws {
        let pass = try enterDoor()
        defer { withExtendedLifetime(pass) {} }
        _ = try await photos.photo(id)
        _ = try await trash.move([id])
        _ = try await trash.delete([id])
    }
}
