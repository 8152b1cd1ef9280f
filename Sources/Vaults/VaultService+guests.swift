import Logging
package import Records
import Sealing
import Store
import Synchronization
import Unlocking
import Vault

extension VaultService {
    /// Begins a space without a password, which only the returned token opens again.
    /// - Throws: `guestsOff`, `tooManyAttempts` for a new guest too many in a day, `busy`, `diskFull`, `draining`.
    package func beginGuest(client: Client) async throws -> GuestOpening {
        try requireNotDraining()
        guard configuration.takesGuests else { throw VaultError.guestsOff }
        let isCounted = !client.address.isLoopback
        if isCounted { try engine.guestAdmission.count(client) }
        return try await translating { [self] in
            try await makePlaceForGuest(isCounted: isCounted)
            let token = try SessionToken()
            let (admission, kept) = try await registry.makeGuest(token, of: client.neighbourToCount)
            let session = try self.session(of: admission, client, kept: kept)
            try sessions.add(session, under: token.hash)
            return GuestOpening(session: session, token: token.text)
        }
    }

    /// What costs nothing gives way to who comes: the oldest empty space of whoever has most. So do sessions of whoever
    /// has many, for their cookies bring them back.
    func makePlaceForGuest(isCounted: Bool) async throws {
        let limit = configuration.limits.openGuests
        while sessions.guestCount >= limit {
            if await sessions.endIdleGuest(ofMoreThan: max(4, limit / 8)) { continue }
            if try await endEmptyGuest() { continue }
            guard await sessions.endIdleGuest(ofMoreThan: 1) else { throw VaultError.busy(retryAfter: .seconds(60)) }
        }
        try await removeOverdue()
        while isCounted, let wait = engine.guestAdmission.takeOfToday() {
            guard try await endEmptyGuest(where: { $0.door == nil }) else {
                throw VaultError.tooManyAttempts(retryAfter: wait, of: .guests)
            }
        }
    }

    /// The same for whoever comes to a door. A party is many who have one session each: the one that was not used for
    /// longest lets go of its keys, and goes on by its cookie.
    /// - Parameter holder: by whom visits are counted; nil for this host itself, and for programs.
    func makePlaceForVisitor(countedFor holder: [UInt8]?) async throws {
        let limit = configuration.limits.openGuests
        while sessions.guestCount >= limit {
            if await sessions.endIdleGuest(ofMoreThan: max(4, limit / 8)) { continue }
            if await sessions.endIdleVisitor() { continue }
            if try await endEmptyGuest() { continue }
            guard await sessions.endIdleGuest(ofMoreThan: 1) else { throw VaultError.busy(retryAfter: .seconds(60)) }
        }
        try await removeOverdue()
        guard let holder else { return }
        while let refusal = engine.guestAdmission.takeVisitOfToday(for: holder) {
            switch refusal {
            case .ofAsker(let wait):
                // What others have begun is not in the way.
                guard try await endEmptyGuest(where: { $0.door != nil && $0.neighbour == holder }) else {
                    throw VaultError.tooManyAttempts(retryAfter: wait, of: .visits)
                }
            case .ofAll(let wait):
                guard try await endEmptyGuest(where: { $0.door != nil && $0.neighbour != nil }) else {
                    throw VaultError.tooManyAttempts(retryAfter: wait, of: .visits)
                }
            }
        }
    }

    private func removeOverdue() async throws {
        let overdue = engine.guestAdmission.takeOverdue()
        guard !overdue.isEmpty else { return }
        try await registry.removeEmptied(overdue.map(GuestSpaceID.init(row:)))
        engine.guestDiskUsage.forget(overdue)
    }

    /// False when there is none.
    private func endEmptyGuest(where isMeant: (OpenVault) -> Bool = { _ in true }) async throws -> Bool {
        let spaces = registry.openVaults.filter { $0.isGuest && !$0.hasEnded && isMeant($0) }
        guard let space = GuestAdmission.nextToGo(among: spaces) else { return false }
        // Where something has come since, another one may go; rows that nobody can open are nothing to wait for.
        guard try await registry.removeEmpty(space) else { return space.hasEnded || !space.isEmptyGuest }
        engine.guestAdmission.giveBackOfToday(space)
        await sessions.endAll(of: space.uid)
        return true
    }

    /// Deletes the space and everything in it, for good.
    package func endGuest(_ session: Session) async throws {
        let space = try session.requireVault()
        guard space.isGuest else { throw VaultError.vaultOpen }
        try await translating { [self] in try await registry.remove(space) }
        await sessions.endAll(of: space.uid)
    }

    /// The session of a cookie, which may be one of an earlier run. Nil when it is unknown, over, locked, or of another
    /// kind.
    /// - Parameters:
    ///   - client: who asks; nil for this host itself.
    ///   - isUse: whether asking puts its idle lock off. One that is taken up again begins anew in any case.
    /// - Throws: what keeps it from being taken up, such as `busy`, `draining`, `degraded`. It is not over then: a guest
    ///   who took it for over would begin another, and nobody would have the cookie of the first.
    package func session(
        token text: String, _ kind: Session.Kind = .vault, of client: Client? = nil, isUse: Bool = true
    ) async throws -> Session? {
        guard let token = SessionToken(text: text) else { return nil }
        if let session = sessions.session(key: token.hash, isUse: isUse) {
            return session.kind == kind ? session : nil
        }
        return try await translating { [self] in
            // A cookie of nothing does not wait for those who open vaults.
            let id = try token.id()
            guard try await store.ledger.read({ try $0.session(id) }) != nil else { return nil }
            try requireNotDraining()
            guard let session = try await takeUp(token, client), session.kind == kind else { return nil }
            return session
        }
    }

    func takeUp(_ token: SessionToken, _ client: Client?) async throws -> Session? {
        // More than new ones: those that have photos here come first.
        let mostGuests = configuration.limits.openGuests * 2
        while sessions.guestCount >= mostGuests {
            if await sessions.endIdleGuest(ofMoreThan: 1) { continue }
            guard await sessions.endIdleVisitor() else { break }
        }
        let (session, isNew) = try await registry.alone { [self] keeper -> (Session?, Bool) in
            // Requests come together, and each would make one.
            if let session = sessions.session(key: token.hash) { return (session, false) }
            let reopened = try keeper.reopenBlocking(
                token, takesGuests: sessions.guestCount < mostGuests, of: client?.neighbourToCount)
            guard let (admission, kept) = reopened else { return (nil, false) }
            let session = try self.session(of: admission, client, kept: kept)
            try noteGiver(client, in: session)
            try sessions.add(session, under: token.hash)
            watchDoor(of: admission.vault)
            return (session, true)
        }
        guard isNew, let session else { return session }
        await sessions.endExcess(besides: session, limits: configuration.limits)
        if let vault = session.openVault, !vault.isGuest {
            if let bytes = client?.deviceCookie.flatMap(devices.bytes) { await ghosts?.attend(bytes) }
            try? await purgeTrash(of: vault)
            doors.vaultOpened(vault)
        }
        return session
    }

    /// Makes what a guest has the vault's. Requests of the guest that run go on in the other session.
    func move(_ guest: Session, into session: Session) async throws -> Migration {
        let transfer = try OwnershipTransfer(of: guest, to: session, in: sessions)
        let migration = try await registry.alone { keeper in try transfer.runBlocking(keeper) }
        await registry.finishMove()
        return migration
    }
}

/// Guests' spaces.
extension VaultRegistry {
    /// Makes a space under a new key, and the session that alone opens it.
    /// - Throws: `diskFull`, `degraded`.
    func makeGuest(_ token: SessionToken, of neighbour: [UInt8]? = nil) async throws -> (
        admission: Admission, kept: ResumableSession
    ) {
        try await alone { [self] keeper in
            try store.reserve.requireRoom(for: 0)
            let key = try SecretBytes(random: 32)
            let record = SessionRecord(
                kind: .guest, uid: try randomBytes(16), key: try key.duplicate(), today: store.firstDay)
            let guest = try OpenVault(
                uid: record.uid, vaultKey: key, home: .guest(expiresDay: record.lastDay), engine: engine,
                head: VaultHead(createdDay: UInt64(record.createdDay), slotSets: []), neighbour: neighbour)
            guard let space = guest.space else { throw VaultError.internalFailure("a guest without a space") }
            // Somebody's who came through a door has one that a vault can open; nobody can tell which.
            return try keeper.begin(guest, record, token, arrival: try ArrivalNote.ofNobody(space: space))
        }
    }

    /// The same for whoever came to a door: its vault finds the space by the note that is laid there.
    func makeGuest(
        _ token: SessionToken, _ kind: SessionRecord.Kind, through door: DoorToken, _ notice: DoorNotice,
        giver: String?, sender: DoorSender? = nil, of neighbour: [UInt8]?
    ) async throws -> (admission: Admission, kept: ResumableSession) {
        try await alone { [self] keeper in
            try store.reserve.requireRoom(for: 0)
            let key = try SecretBytes(random: 32)
            let record = SessionRecord(
                kind: kind, uid: try randomBytes(16), key: try key.duplicate(), today: store.firstDay,
                lastDay: max(notice.terms.keptUntil, store.firstDay + SessionRecord.days), door: door, giver: giver,
                sender: sender)
            let guest = try OpenVault(
                uid: record.uid, vaultKey: key, home: .guest(expiresDay: record.lastDay), engine: engine,
                head: VaultHead(createdDay: UInt64(record.createdDay), slotSets: []), neighbour: neighbour,
                door: DoorSpace(record))
            guard let space = guest.space else { throw VaultError.internalFailure("a guest without a space") }
            let note = ArrivalNote(
                uid: record.uid, key: record.key, lastDay: record.lastDay, createdDay: record.createdDay,
                giver: giver, sender: sender)
            return try keeper.begin(
                guest, record, token, arrival: try note.sealed(to: notice.publicKey, space: space))
        }
    }

    /// Nothing of the guest is left on return, unless the disk takes no fresh copies of the ledger: then keys of it
    /// stand in the old ones until the next.
    func remove(_ guest: OpenVault) async throws {
        try await alone { [self] _ in
            try guest.eraseBlocking()
            forget(guest)
            tidy()
        }
    }

    /// A space without anything in it makes place for another. There are no photos whose keys the ledger's copies would
    /// keep.
    /// - Returns: false when something has come since.
    func removeEmpty(_ guest: OpenVault) async throws -> Bool {
        try await alone { [self] _ in
            guard guest.isEmptyGuest, !guest.hasEnded, try guest.eraseEmptyBlocking() else { return false }
            forget(guest)
            return true
        }
    }

    /// Spaces that nobody has open, and in which nothing was, without their keys. Those that are open are left alone, and
    /// those in which something is: one may have been opened again while its end was still being noted.
    func removeEmptied(_ spaces: [GuestSpaceID]) async throws {
        try await alone { keeper in try keeper.removeClosedBlocking(spaces, onlyEmpty: true) }
    }

    /// The keys that stood in the guest's rows, and the objects that were there twice, go from the disk.
    func finishMove() async {
        _ = try? await alone { [self] _ in tidy() }
    }
}

extension SlotKeeper {
    fileprivate func begin(
        _ guest: OpenVault, _ record: SessionRecord, _ token: SessionToken, arrival: [UInt8]
    ) throws -> (admission: VaultRegistry.Admission, kept: ResumableSession) {
        let kept = try keepBlocking(record, in: guest, arrival: arrival, token)
        registry.remember(guest)
        registry.engine.guestDiskUsage.begin(guest)
        guest.startWorkers()
        return (VaultRegistry.Admission(vault: guest, epoch: guest.accessEpoch, way: .first), kept)
    }

    func removeClosedBlocking(_ spaces: [GuestSpaceID], onlyEmpty: Bool = false) throws {
        let open = Set(registry.openVaults.compactMap(\.space))
        let closed = spaces.filter { $0.row.map { !open.contains($0) } ?? true }
        guard !closed.isEmpty else { return }
        let today = store.today
        let objects = store.objects
        try store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                var tally = GuestUploadUsage(try transaction.metaValue(GuestUploadUsage.metaKey))
                for space in closed {
                    if onlyEmpty, let row = space.row, try !transaction.isEmptyGuest(row) { continue }
                    for upload in try transaction.endGuest(space) {
                        let byteCount = upload.part.flatMap { try? objects.byteCount(of: $0) } ?? 0
                        let taken = clampedSum(byteCount, GuestDiskUsage.byteCountPerUpload)
                        tally.replace(.init(byteCount: taken, day: upload.expiresDay), with: nil, today: today)
                    }
                }
                try transaction.setMetaValue(GuestUploadUsage.metaKey, tally.encoded)
            })
    }
}
