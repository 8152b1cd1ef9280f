package import FoundationEssentials
import Sealing
import Store

extension Session {
    package static let longestName = 1024

    /// Makes ready for one upload; everything that can be refused without the body is refused here.
    /// - Parameter name: any UTF-8 of 1…1,024 bytes; it is data only and never a path.
    /// - Throws: `nameInvalid`, `fileTooLarge`, `vaultFull`, `diskFull`, `busy`, `degraded`, `sessionEnded`.
    package func beginUpload(name: String, declaredByteCount: UInt64?, lastModified: Date?) async throws -> Upload {
        guard (1...Self.longestName).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw VaultError.nameInvalid
        }
        let vault = try requireVault()
        guard !vault.isReadOnly else { throw VaultError.readOnly }
        let limit = engine.limits.fileByteCount
        if let declaredByteCount, declaredByteCount > limit { throw VaultError.fileTooLarge(limit: limit) }
        let ticket = try engine.admit()
        let (share, path) = (engine.limits.vaultShareOfDisk, engine.dataPath)
        let (lane, allowed) = try await engine.run {
            let expected = Padme.paddedByteCount(declaredByteCount ?? 0)
            try vault.store.reserve.requireRoom(for: expected)
            let allowed = UInt64(Double(try DiskSpace.totalByteCount(path)) * share)
            guard vault.head.storedByteCount + expected <= allowed else { throw VaultError.vaultFull }
            return (try SealingLane(store: vault.store), allowed)
        }
        return Upload(
            session: self, engine: engine, name: name, declaredByteCount: declaredByteCount,
            modifiedAt: lastModified.map(Milliseconds.from), lane: lane,
            vaultByteLimit: allowed, ticket: ticket)
    }

    /// - Parameter cursor: of the page before, or nil for the newest photos.
    package func photos(cursor: String?, limit: Int = 500) async throws -> PhotoPage {
        let vault = try requireVault()
        var before: UInt64?
        if let cursor {
            do { before = try serial(cursor) } catch { throw VaultError.invalidCursor }
        }
        let limit = min(max(1, limit), 1000)
        let found = try await vault.library.photos(before: before, limit: limit + 1)
        let shown = found.prefix(limit)
        return PhotoPage(
            photos: shown.map(photo), cursor: found.count > limit ? shown.last.map { handle($0.serial) } : nil)
    }

    package func photo(_ id: String) async throws -> Photo { photo(try await libraryPhoto(id)) }

    package func original(_ id: String) async throws -> Original {
        let vault = try requireVault()
        let found = try await libraryPhoto(id)
        let reader = try await engine.run { try vault.reader(of: found) }
        return Original(photo: photo(found), session: self, engine: engine, reader: reader)
    }

    // MARK: Recently deleted

    package func trash() async throws -> [Photo] { try await requireVault().library.trash().map(photo) }

    /// - Returns: how many were moved; those that lie there already, or are gone, do not count.
    package func moveToTrash(_ ids: [String]) async throws -> Int {
        let store = try requireVault().store
        // A host that starts with its clock years behind must not let the photo go as soon as the clock is right.
        let earliest = try await engine.run { UInt64(try store.lastTrustedDay() ?? 0) * 86_400_000 }
        let now = max(Milliseconds.now, earliest)
        return try await update(ids, where: { $0.deletedAt == nil }, { $0.deletedAt = now })
    }

    package func restore(_ ids: [String]) async throws -> Int {
        try await update(ids, where: { $0.deletedAt != nil }, { $0.deletedAt = nil })
    }

    /// Deletes for good what lies in "Recently deleted".
    package func emptyTrash() async throws -> Int {
        let vault = try requireVault()
        let photos = try await vault.library.trash()
        return try await translating {
            let count = try await vault.removeForGood(photos.map(\.serial))
            try await self.engine.run { try vault.store.finishRemoval() }
            return count
        }
    }

    private func update(
        _ ids: [String], where condition: @escaping @Sendable (LibraryPhoto) -> Bool,
        _ change: @escaping @Sendable (inout PhotoRecord) -> Void
    ) async throws -> Int {
        let vault = try requireVault()
        let serials = try Set(ids.map { id throws(VaultError) in try serial(id) }).sorted()
        return try await translating { try await vault.update(serials, where: condition, change) }
    }

    // MARK: Archives

    /// - Returns: a name under which the archive can be fetched once, in this session.
    package func makeArchive(_ ids: [String]) async throws -> String {
        _ = try requireVault()
        let serials = try ids.map { id throws(VaultError) in try serial(id) }
        guard !serials.isEmpty else { throw VaultError.noSuchPhoto }
        let name = Base64URL.encode(try translated { try randomBytes(16) })
        remember(archive: name, serials)
        return name
    }

    /// The ids of an archive, once.
    package func takeArchive(_ name: String) throws -> [String] {
        _ = try requireVault()
        guard let serials = forget(archive: name) else { throw VaultError.noSuchPhoto }
        return serials.map(handle)
    }

    // MARK: Translation

    private func libraryPhoto(_ id: String) async throws -> LibraryPhoto {
        let vault = try requireVault()
        guard let found = try await vault.library.photo(serial: try serial(id)) else { throw VaultError.noSuchPhoto }
        return found
    }

    func photo(_ record: PhotoRecord) -> Photo {
        Photo(
            id: handle(record.serial), name: record.name, type: record.type, byteCount: record.byteCount,
            receivedAt: Milliseconds.date(record.receivedAt), modifiedAt: record.modifiedAt.map(Milliseconds.date),
            deletedAt: record.deletedAt.map(Milliseconds.date), sha256: record.sha256,
            servedInline: MediaType.isServedInline(record.type))
    }

    private func photo(_ found: LibraryPhoto) -> Photo {
        Photo(
            id: handle(found.serial), name: found.name, type: found.type, byteCount: found.byteCount,
            receivedAt: Milliseconds.date(found.receivedAt), modifiedAt: found.modifiedAt.map(Milliseconds.date),
            deletedAt: found.deletedAt.map(Milliseconds.date), sha256: found.sha256,
            servedInline: MediaType.isServedInline(found.type))
    }
}
