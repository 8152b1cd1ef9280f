import Media
import Records
import Vault

/// Between what the outside calls a photo and the rows of the vault.
extension Session {
    func requireWritableVault() throws(VaultError) -> OpenVault {
        let vault = try requireVault()
        guard !vault.hasEnded else { throw .sessionEnded }
        guard !vault.isReadOnly else { throw .readOnly }
        return vault
    }

    /// For what a guest may not do.
    /// - Throws: `vaultNeeded`, `sessionEnded`, `readOnly`.
    func requireOwnVault() throws(VaultError) -> OpenVault {
        guard try !requireVault().isGuest else { throw .vaultNeeded }
        return try requireWritableVault()
    }

    /// The photo, or the older one of the same content that was kept in its place.
    /// - Throws: `noSuchPhoto`.
    func libraryPhoto(_ id: String, in vault: OpenVault) async throws -> LibraryPhoto {
        guard let found = try await vault.library.photoOrKept(serial: try serial(id)) else {
            throw VaultError.noSuchPhoto
        }
        return found
    }

    func photo(_ outcome: Arrival.Outcome) -> Photo {
        let session = following
        var photo = (session.vaultUID == outcome.vaultUID ? session : self).photo(outcome.photo)
        photo.isDuplicate = outcome.isDuplicate ? true : nil
        return photo
    }

    func photo(_ found: LibraryPhoto) -> Photo {
        var details = PhotoDetails(found)
        if let gazetteer = engine.gazetteer, let located = details.located(by: gazetteer) {
            (details.located, details.placeID) = (located, gazetteer.id(located.name))
        }
        return Photo(
            id: handle(found.serial), name: found.name, type: found.type, byteCount: found.byteCount,
            receivedAt: Milliseconds.date(found.receivedAt), modifiedAt: found.modifiedAt.map(Milliseconds.date),
            deletedAt: found.isWaiting ? nil : found.deletedAt.map(Milliseconds.date), sha256: found.sha256,
            servedInline: MediaType(mimeType: found.type).isServedInline,
            verifiedAt: found.verifiedAt.map(Milliseconds.date),
            isDamaged: found.damagedAt != nil, sidecarOf: found.owner.map(handle),
            isUnderstood: found.sidecar.map { !$0.isNothing } ?? false,
            isHeld: found.isHeld, details: details)
    }

    func serials(_ ids: [String]) throws(VaultError) -> [UInt64] {
        var serials: Set<UInt64> = []
        for id in ids { serials.insert(try serial(id)) }
        return serials.sorted()
    }

    /// Two photos of a guest may have become one of the vault.
    func distinctSerials(_ ids: [String]) throws(VaultError) -> [UInt64] {
        var known: Set<UInt64> = []
        return try ids.map { id throws(VaultError) in try serial(id) }.filter { known.insert($0).inserted }
    }

    /// Each followed by the sidecars that lie where it lies, once.
    func withSidecars(_ serials: [UInt64], in vault: OpenVault) async throws -> [UInt64] {
        let sidecars = Dictionary(grouping: try await vault.library.sidecars(of: serials)) { $0.owner ?? 0 }
        guard !sidecars.isEmpty else { return serials }
        var known: Set<UInt64> = []
        return serials.flatMap { [$0] + (sidecars[$0] ?? []).map(\.serial) }.filter { known.insert($0).inserted }
    }
}
