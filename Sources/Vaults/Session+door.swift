import Content
package import Records
import Store
package import Vault

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
