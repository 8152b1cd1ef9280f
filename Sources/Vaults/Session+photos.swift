import Content
package import FoundationEssentials
import Media
import Records
import Sealing
import Store
package import Uploads
package import Vault

extension Session {
    package static let longestName = 1024

    /// Makes ready for one upload; everything that can be refused without the body is refused here.
    /// - Parameters:
    ///   - name: any UTF-8 of 1…1,024 bytes; it is data only and never a path.
    ///   - batch: as `createBatch` named it.
    /// - Throws: `nameInvalid`, `noSuchBatch`, `fileTooLarge`, `vaultFull`, `guestFull`, `diskFull`, `busy`, `degraded`,
    ///   `sessionEnded`.
    package func beginUpload(
        name: String, declaredByteCount: UInt64?, lastModified: Date?, batch: String? = nil
    ) async throws -> Upload {
        let session = following
        guard session === self else {
            return try await session.beginUpload(
                name: name, declaredByteCount: declaredByteCount, lastModified: lastModified, batch: batch)
        }
        let vault = try requireWritableVault()
        try requireValid(name: name)
        let batch = try await batchID(batch, in: vault)
        try requireAllowed(byteCount: declaredByteCount ?? 0)
        let ticket = try engine.admit(ObjectIdentifier(self), to: vault)
        remember(ticket)
        try await engine.requireRoom(
            forAnnounced: ObjectSize.ofOneRun(content: declaredByteCount ?? 0), in: vault)
        let claim = RoomClaim(engine.room.promise(), in: vault, announced: declaredByteCount)
        let lane = try translated {
            try SealingLane(
                store: vault.store, start: SealingLane.Start(fileKey: SharedSecret(try SecretBytes(random: 32))),
                hashing: try ContentHashing(vault.demand(forContentOf: declaredByteCount)), promise: claim.promise)
        }
        let plan = Upload.Plan(
            name: name, declaredByteCount: declaredByteCount, modifiedAt: lastModified.map(Milliseconds.from),
            batch: batch)
        return Upload(session: self, engine: engine, plan: plan, lane: lane, ticket: ticket, claim: claim)
    }

    func requireWritableVault() throws(VaultError) -> OpenVault {
        let vault = try requireVault()
        guard !vault.hasEnded else { throw .sessionEnded }
        guard !vault.isReadOnly else { throw .readOnly }
        return vault
    }

    func requireValid(name: String) throws(VaultError) {
        guard (1...Self.longestName).contains(name.utf8.count), !name.utf8.contains(0) else { throw .nameInvalid }
    }

    func requireAllowed(byteCount: UInt64) throws(VaultError) {
        let limit = engine.limits.fileByteCount
        guard byteCount <= limit else { throw .fileTooLarge(limit: limit) }
    }

    /// - Throws: `noSuchBatch`.
    func batchID(_ text: String?, in vault: OpenVault) async throws -> BatchID? {
        guard let text else { return nil }
        guard let id = BatchID(text: text), try await vault.library.batch(id, today: vault.store.today) != nil else {
            throw VaultError.noSuchBatch
        }
        return id
    }

    /// - Parameter cursor: of the page before, or nil for the newest photos.
    package func photos(cursor: String?, limit: Int = 500) async throws -> PhotoPage {
        let vault = try requireVault()
        var before: UInt64?
        if let cursor {
            do { before = try serial(cursor) } catch { throw VaultError.invalidCursor }
        }
        let limit = min(max(1, limit), 1000)
        let found = try await vault.library.photos(before: before, limit: limit + LivePhotoPage.margin)
        let end = LivePhotoPage.end(of: found.lazy.map(Self.candidate), limit: limit)
        let shown = found.prefix(end)
        return PhotoPage(photos: paired(shown), cursor: found.count > end ? shown.last.map { handle($0.serial) } : nil)
    }

    /// Photos that do not lie in "Recently deleted". Asking is no use.
    package func photoCount() async throws -> Int {
        guard let vault = openVault else { throw VaultError.sessionEnded }
        return try await vault.library.photoCount()
    }

    package func photo(_ id: String) async throws -> Photo {
        let found = try await libraryPhoto(id)
        var photo = photo(found)
        photo.details.sidecars = try await requireVault().library.sidecars(of: [found.serial]).map(self.photo)
        return photo
    }

    package func original(_ id: String) async throws -> Original {
        let vault = try requireVault()
        let serial = try serial(id)
        var failed: LibraryPhoto?
        while true {
            let (found, opening) = try await engine.threads.run { try vault.openOriginal(serial) }
            switch opening {
            case .success(let reader):
                return Original(found, photo: photo(found), of: vault, session: self, reader: reader)
            case .failure(let error) where error == .noSuchPhoto || error == .damaged:
                if let failed, failed.serial == found.serial, failed.object == found.object {
                    if error == .damaged { await noteDamaged(found) }
                    throw error
                }
                // A re-read may have moved it a moment ago: to another object, or to an older photo.
                failed = found
                try? await vault.store.ledger.settle()
            case .failure(let error): throw error
            }
        }
    }

    /// Found while somebody fetched it. From now on the same content is wanted again; the re-read looks once more.
    func noteDamaged(_ photo: LibraryPhoto) async {
        // A vault that takes no writes, or is locked by now, hears of it at the next read.
        guard let vault = try? requireVault(), (try? await vault.noteDamaged(photo)) != nil else { return }
        vault.verifier.wake()
    }

    // MARK: Recently deleted

    /// - Parameter cursor: of the page before, or nil for what was deleted last.
    package func trashPage(cursor: String?, limit: Int = 500) async throws -> PhotoPage {
        let vault = try requireVault()
        let limit = min(max(1, limit), 1000)
        let found = try await vault.library.trash(behind: try cursor.map(trashPlace), limit: limit + 1)
        let shown = found.prefix(limit)
        return PhotoPage(photos: shown.map(photo), cursor: found.count > limit ? shown.last.map(trashCursor) : nil)
    }

    /// All that lies there, last deleted first.
    package func trash() async throws -> [Photo] {
        var page = try await trashPage(cursor: nil)
        var photos = page.photos
        while let cursor = page.cursor {
            page = try await trashPage(cursor: cursor)
            photos += page.photos
        }
        return photos
    }

    /// Its moment stands in it, too, so that the list goes on behind a photo that was put back meanwhile.
    private func trashCursor(_ last: LibraryPhoto) -> String { "\(handle(last.serial)).\(last.deletedAt ?? 0)" }

    private func trashPlace(_ cursor: String) throws(VaultError) -> TrashPlace {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let deletedAt = UInt64(parts[1]), let serial = try? serial(String(parts[0])) else {
            throw .invalidCursor
        }
        return TrashPlace(deletedAt: deletedAt, serial: serial)
    }

    /// Sidecars go with their photos.
    /// - Returns: how many were moved; those that lie there already, or are gone, do not count. So it is with one that
    ///   was dropped for an older one of the same content: of two, the person asked for one to go.
    package func moveToTrash(_ ids: [String]) async throws -> Int {
        let store = try requireVault().store
        // A host that starts with its clock years behind must not let the photo go as soon as the clock is right.
        let earliest = try await engine.threads.run { UInt64(try store.latestTrustedDay() ?? 0) * 86_400_000 }
        let now = max(Milliseconds.now, earliest)
        let vault = try requireVault()
        let serials = try await withSidecars(serials(ids), in: vault)
        return try await translating {
            try await vault.update(serials, where: { $0.deletedAt == nil }, { $0.deletedAt = now })
        }
    }

    /// Where the same content came again in the meantime, the older of the two stays.
    package func restore(_ ids: [String]) async throws -> Int {
        let vault = try requireVault()
        let serials = try await withSidecars(serials(ids), in: vault)
        return try await translating { try await vault.restore(serials) }
    }

    /// Deletes for good what lies in "Recently deleted".
    package func emptyTrash() async throws -> Removal {
        try await deleteForGood(try await requireVault().library.trashSerials())
    }

    /// Deletes for good those of these photos that lie in "Recently deleted"; others do not count, and stay.
    package func deleteForGood(_ ids: [String]) async throws -> Removal {
        try await deleteForGood(try await withSidecars(serials(ids), in: try requireVault()))
    }

    private func deleteForGood(_ serials: [UInt64]) async throws -> Removal {
        let vault = try requireVault()
        let count = try await translating { try await vault.removeForGood(serials) }
        guard count > 0 || vault.store.removalFailure != nil else { return Removal(count: 0, obstacle: nil) }
        // They are gone, whatever happens now.
        var obstacle: VaultError?
        do { try await engine.removals.finish() } catch { obstacle = error }
        // There may be room now for pictures that a full disk put off.
        if count > 0 { vault.pictures.wake() }
        return Removal(count: count, obstacle: obstacle)
    }

    /// Each followed by the sidecars that lie where it lies, once.
    private func withSidecars(_ serials: [UInt64], in vault: OpenVault) async throws -> [UInt64] {
        let sidecars = Dictionary(grouping: try await vault.library.sidecars(of: serials)) { $0.owner ?? 0 }
        guard !sidecars.isEmpty else { return serials }
        var known: Set<UInt64> = []
        return serials.flatMap { [$0] + (sidecars[$0] ?? []).map(\.serial) }.filter { known.insert($0).inserted }
    }

    private func serials(_ ids: [String]) throws(VaultError) -> [UInt64] {
        var serials: Set<UInt64> = []
        for id in ids { serials.insert(try serial(id)) }
        return serials.sorted()
    }

    // MARK: Archives

    /// - Returns: a name under which the archive can be fetched in this session, until ten minutes after its last use.
    /// - Throws: `busy` where archives have taken all the memory that there is for them.
    package func makeArchive(_ ids: [String]) async throws -> String {
        guard try !requireVault().isGuest else { throw VaultError.vaultNeeded }
        let asked = try distinctSerials(ids)
        guard !asked.isEmpty else { throw VaultError.noSuchPhoto }
        let serials = try await withSidecars(asked, in: try requireVault())
        let name = Base64URL.encode(try translated { try randomBytes(16) })
        try remember(archive: name, serials)
        return name
    }

    /// Puts more photos behind those of an archive: a list of ids has a largest size.
    /// - Throws: `archiveGone` for a name that this session does not know, and once the archive was fetched.
    package func add(_ ids: [String], toArchive name: String) async throws {
        let serials = try await withSidecars(distinctSerials(ids), in: try requireVault())
        guard try archive(name).add(serials) else { throw VaultError.archiveGone }
    }

    /// Two photos of a guest may have become one of the vault.
    private func distinctSerials(_ ids: [String]) throws(VaultError) -> [UInt64] {
        var known: Set<UInt64> = []
        return try ids.map { id throws(VaultError) in try serial(id) }.filter { known.insert($0).inserted }
    }

    /// - Throws: `archiveGone` for a name that this session does not know, or not any more.
    package func archive(_ name: String) throws -> Archive {
        _ = try requireVault()
        guard let archive = rememberedArchive(name) else { throw VaultError.archiveGone }
        touch(archive)
        return archive
    }

    /// Runs what reads photos and sends nothing of them: one at a time in a vault, since no network slows it down.
    package func readingAhead<R>(_ body: () async throws -> R) async throws -> R {
        let turns = try requireVault().readingAhead
        await turns.take()
        defer { turns.giveBack() }
        return try await body()
    }

    // MARK: Translation

    private func libraryPhoto(_ id: String) async throws -> LibraryPhoto {
        let vault = try requireVault()
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
        Photo(
            id: handle(found.serial), name: found.name, type: found.type, byteCount: found.byteCount,
            receivedAt: Milliseconds.date(found.receivedAt), modifiedAt: found.modifiedAt.map(Milliseconds.date),
            deletedAt: found.deletedAt.map(Milliseconds.date), sha256: found.sha256,
            servedInline: MediaType(mimeType: found.type).isServedInline,
            verifiedAt: found.verifiedAt.map(Milliseconds.date),
            isDamaged: found.damagedAt != nil, sidecarOf: found.owner.map(handle), details: PhotoDetails(found))
    }
}
