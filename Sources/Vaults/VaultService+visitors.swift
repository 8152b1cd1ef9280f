import Bytes
import Content
package import Records
import Sealing
import Store
package import Unlocking
import Vault

/// Those who come to a door with its code: they give, and see nothing but what they gave.
extension VaultService {
    /// What a door says to whoever has its code.
    /// - Parameter isEncrypted: false where others may read along: only a door whose owner wants that answers then.
    /// - Throws: `noSuchDoor`, `doorNeedsEncryption`, `doorShut`, `doorExpired`, `tooManyAttempts`.
    package func look(
        at code: DoorCode, isEncrypted: Bool = true, client: Client
    ) async throws -> (notice: DoorNotice, token: DoorToken) {
        try requireNotDraining()
        return try await attempt(client) { [self] guess in
            let token = code.token(for: guess)
            return (try await openNotice(of: token, isEncrypted: isEncrypted, for: guess), token)
        }
    }

    /// - Parameters:
    ///   - giver: as they call themselves; nil for nothing.
    ///   - present: the session that they have already; it stays where it came by the same door.
    /// - Returns: the session, and its token where it is a new one.
    /// - Throws: as `look`; `labelTooLong`, `busy`, `diskFull`.
    package func enter(
        _ code: DoorCode, giver: String?, present: Session?, isEncrypted: Bool = true, client: Client
    ) async throws -> (session: Session, token: String?, notice: DoorNotice, door: DoorToken) {
        let giver = try Given.giver(giver)
        let (notice, door) = try await look(at: code, isEncrypted: isEncrypted, client: client)
        if let present, let own = present.door, own.token.id == door.id, own.giver == giver || giver == nil {
            return (present, nil, notice, door)
        }
        let token = try SessionToken()
        let session = try await beginVisit(token, .visitor, door, notice, giver: giver, client)
        return (session, token.text, notice, door)
    }

    private func openNotice(
        of code: DoorToken, isEncrypted: Bool = true, for _: borrowing Guess
    ) async throws -> DoorNotice {
        let notice = try await store.ledger.notice(of: code)
        guard isEncrypted || notice.terms.takesUnencrypted else { throw VaultError.doorNeedsEncryption }
        try notice.terms.requireOpen(on: store.today)
        return notice
    }

    private func beginVisit(
        _ token: SessionToken, _ kind: SessionRecord.Kind, _ code: DoorToken, _ notice: DoorNotice, giver: String?,
        sender: DoorSender? = nil, _ client: Client
    ) async throws -> Session {
        // A program has one space at a door, however often its owner takes what is there.
        let isCounted = !client.address.isLoopback && kind == .visitor
        if isCounted { try engine.guestAdmission.count(client, at: code.id) }
        return try await translating { [self] in
            try await makePlaceForVisitor(countedFor: isCounted ? client.holder : nil)
            let (admission, kept) = try await registry.makeGuest(
                token, kind, through: code, notice, giver: giver, sender: sender, of: client.neighbourToCount)
            watchDoor(of: admission.vault)
            let session = try self.session(of: admission, client, kept: kept)
            try noteGiver(client, in: session)
            try sessions.add(session, under: token.hash)
            return session
        }
    }

    /// What this host brings itself, as from a drop folder, is counted for nobody.
    func noteGiver(_ client: Client?, in session: Session) throws {
        guard let door = session.door, let client, !client.address.isHostItself else { return }
        door.noteGiver(try door.token.sender(of: client.holder))
    }

    func watchDoor(of space: OpenVault) { doors.watch(space) }

    /// The session of a program that sends with a door's code alone: one for each device, door and day, found again after a
    /// restart. What another device with the same code sent, it neither sees nor changes. Nil when there is no such door.
    /// - Throws: `doorShut`, `doorExpired`, `busy`.
    func sender(with code: DoorToken, for guess: borrowing Guess, _ client: Client) async throws -> Session? {
        let notice: DoorNotice
        do {
            notice = try await openNotice(of: code, for: guess)
        } catch VaultError.noSuchDoor {
            return nil
        }
        let sender = try code.sender(of: client.holder)
        let token = try code.senderToken(day: store.today, of: sender)
        if let session = sessions.session(key: token.hash) { return session }
        if let session = try await takeUp(token, client) { return session }
        return try await beginVisit(token, .sender, code, notice, giver: nil, sender: sender, client)
    }
}

/// One guest's space, as far as the host can tell without its key.
package struct GuestSpace: Sendable, Equatable {
    /// Names it for `endGuests`; says nothing to anybody.
    package let id: String
    /// Days since 1970: when it began, and the last one on which it is kept.
    package let firstDay: UInt32
    package let lastDay: UInt32
    /// Those in its trash, too.
    package let photoCount: Int
    package let unfinishedCount: Int
    /// Bytes of disk that it takes.
    package let byteCount: UInt64
}

/// For whoever has the host: guests' spaces are seen and ended without their keys.
extension VaultService {
    /// The oldest first.
    package func guestSpaces() async throws -> [GuestSpace] {
        let rows = try await store.ledger.read { try $0.guestSpaces() }
        return try await engine.threads.run { [store] in
            rows.map { rows in
                let files = (rows.objects + rows.parts).map { (try? store.objects.byteCount(of: $0)) ?? 0 }
                return GuestSpace(
                    id: rows.id.text,
                    // What was given at a door is kept beyond that: when it came, nothing says.
                    firstDay: min(store.today, rows.expiresDay - min(rows.expiresDay, SessionRecord.days)),
                    lastDay: rows.expiresDay, photoCount: rows.objects.count, unfinishedCount: rows.parts.count,
                    byteCount: files.reduce(0, clampedSum))
            }
        }
    }

    /// Ends those of these that are there, for good: requests of theirs that run end, too.
    /// - Returns: how many there were.
    package func endGuests(_ ids: [String]) async throws -> Int {
        let wanted = Set(ids.compactMap(GuestSpaceID.init(text:)))
        return try await translating { [self] in
            let ended = try await registry.endGuests(wanted)
            for uid in ended.open { await sessions.endAll(of: uid) }
            return ended.count
        }
    }
}

extension VaultRegistry {
    /// - Returns: how many spaces there were, and the uids of those that were open.
    fileprivate func endGuests(_ wanted: Set<GuestSpaceID>) async throws -> (count: Int, open: [[UInt8]]) {
        try await alone { [self] keeper in
            let found = try store.ledger.readBlocking { try $0.guestSpaces() }.map(\.id).filter(wanted.contains)
            var open: [[UInt8]] = []
            for vault in openVaults where vault.space.map({ wanted.contains(GuestSpaceID(row: $0)) }) ?? false {
                guard !vault.hasEnded else { continue }
                try vault.eraseBlocking()
                forget(vault)
                open.append(vault.uid)
            }
            // Also what an erase by key may have left: rows that did not open.
            try keeper.removeClosedBlocking(found)
            tidy()
            try engine.guestDiskUsage.measure(store)
            return (found.count, open)
        }
    }
}

extension GuestSpaceID {
    /// Hexadecimal, or the day of rows that name no space.
    fileprivate var text: String {
        guard let row else { return "day-\(day)" }
        return Hexadecimal.encode(row.bytes)
    }

    fileprivate init?(text: String) {
        if text.hasPrefix("day-") {
            guard let day = UInt32(text.dropFirst(4)) else { return nil }
            self.init(rowsOf: day)
            return
        }
        guard let row = Hexadecimal.decode(text).flatMap({ RowID(bytes: $0) }) else { return nil }
        self.init(row: row)
    }
}
