import Records
import Sealing
import Store
import Unlocking
import Vault

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
