import Sealing
import Store

/// Guests' spaces. All on the registry's thread.
extension VaultRegistry {
    /// Makes a space under a new key, and the session that alone opens it.
    /// - Throws: `diskFull`, `degraded`.
    func makeGuest(_ token: SessionToken) async throws -> (admission: Admission, kept: Session.Kept) {
        try await alone { [self] in
            try store.reserve.requireRoom(for: 0)
            let key = try SecretBytes(random: 32)
            let record = SessionRecord(
                kind: .guest, uid: try randomBytes(16), key: try key.duplicate(), today: store.firstDay)
            let guest = try OpenVault(
                uid: record.uid, vaultKey: key, home: .guest(expiresDay: record.lastDay), engine: engine,
                head: VaultHead(createdDay: UInt64(record.createdDay), slotSets: []))
            let kept = try keepBlocking(record, in: guest, token)
            remember(guest)
            engine.guestRoom.begin(guest)
            guest.startWorkers()
            return (Admission(vault: guest, epoch: guest.accessEpoch, way: .first), kept)
        }
    }

    /// Nothing of the guest is left on return, unless the disk takes no fresh copies of the ledger: then keys of it
    /// stand in the old ones until the next.
    func remove(_ guest: OpenVault) async throws {
        try await alone { [self] in
            try guest.eraseBlocking()
            forget(guest)
            tidy()
        }
    }

    /// Makes everything that the guest has the vault's.
    func takeInBlocking(_ guest: OpenVault, into vault: OpenVault) throws -> GuestMove.Outcome {
        let result = try vault.takeInBlocking(guest)
        forget(guest)
        return result
    }

    /// The keys that stood in the guest's rows, and the objects that were there twice, go from the disk.
    func finishMove() async {
        _ = try? await alone { [self] in tidy() }
    }
}
