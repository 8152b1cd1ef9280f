package import FoundationEssentials
import Media
package import Records
import Store
package import Vault

/// An album as a session sees it.
package struct Album: Sendable {
    /// What the album of all hearts is called in place of an id.
    package static let favourites = "favourites"
    /// That of all photos that are kept out of the timeline.
    package static let archived = "archived"
    /// What the album of all hearts is called where nobody says how: the host knows no languages.
    package static let favouritesName = "Favourites"

    /// 22 characters of base64url, or that of an album that nobody has made: `favourites`, `archived`, and
    /// `on-yyyy-mm-dd` for what was taken on that day in the years before.
    package let id: String
    /// Nil for albums that nobody has made, as are the times.
    package let name: String?
    /// Photos in it that are not deleted.
    package let count: Int
    /// The id of the photo that stands for it; nil where it is empty.
    package let cover: String?
    /// How that is shown: its turns and the part of it.
    package let coverKeeping: Keeping
    /// Whether somebody chose it.
    package let isCoverChosen: Bool
    package let createdAt: Date?
    /// When it was made, or something was last put into it.
    package let usedAt: Date?
    /// Where it stands in the order by hand, the least first; nil where nobody has moved it.
    package let place: UInt64?
}

/// An album that a session has removed, and may bring back.
struct RemovedAlbum {
    let record: AlbumRecord
    /// What went to "Recently deleted" with it, at this moment in milliseconds since 1970.
    let serials: [UInt64]
    let deletedAt: UInt64
}

extension Session {
    /// Photos that somebody has put together.
    package var albums: Albums { Albums(session: self) }

    /// Albums of a vault. A guest has none.
    package struct Albums: Sendable {
        let session: Session

        // MARK: Looking

        /// That of all hearts first, where there is a heart; then what was used last.
        package func all() async throws -> [Album] {
            let vault = try session.requireVault()
            guard !vault.isGuest else { return [] }
            return try await vault.library.albums().map { album($0, Album.favourites) }
        }

        /// - Throws: `noSuchAlbum`.
        package func album(_ id: String) async throws -> Album {
            let library = try session.requireVault().library
            guard let scope = Self.standing(id) else { return album(try await library.album(try albumID(id)), id) }
            let summary = try await library.summary(of: scope)
            guard summary.count > 0 else { throw VaultError.noSuchAlbum }
            return album(summary, id)
        }

        /// Ids of what is in it, the newest first, each followed by its sidecars.
        /// - Throws: `noSuchAlbum`.
        package func photos(of id: String) async throws -> [String] {
            try await members(of: id, in: try session.requireVault()).map(session.handle)
        }

        /// The same, as serials.
        private func members(of id: String, in vault: OpenVault) async throws -> [UInt64] {
            let serials = try await vault.library.serials(in: try await scope(of: id))
            return try await session.withSidecars(serials, in: vault)
        }

        /// - Throws: `noSuchAlbum`.
        package func scope(of id: String) async throws -> TimelineScope {
            let library = try session.requireVault().library
            if let scope = Self.standing(id) { return scope }
            return try await library.scope(of: try albumID(id))
        }

        /// What is in an album that nobody has made; nil for the others.
        private static func standing(_ id: String) -> TimelineScope? {
            switch id {
            case Album.favourites: .favourites
            case Album.archived: .archived
            default: id.hasPrefix("on-") ? CalendarDate(text: id.dropFirst(3)).map(TimelineScope.anniversaries) : nil
            }
        }

        // MARK: Changing

        /// - Throws: `albumNameEmpty`, `albumNameTooLong`, `albumNameTaken`, `tooManyAlbums`, `noSuchPhoto`, `vaultNeeded`.
        package func make(_ name: String, with ids: [String] = []) async throws -> Album {
            let (vault, name, serials) = (
                try session.requireOwnVault(), try AlbumName(name), try session.distinctSerials(ids)
            )
            let id = try await translating {
                try await vault.change { change in
                    let id = try change.makeAlbum(name)
                    _ = try change.join(serials, to: id)
                    return id
                }
            }
            return try await album(id.text)
        }

        /// - Parameters:
        ///   - name: nil leaves it as it is.
        ///   - cover: nil leaves it as it is, and `none` takes the newest photo again.
        ///   - behind: nil leaves its place in the order by hand; else the album behind which it is to stand, or `none`
        ///     for the first place.
        /// - Throws: `noSuchAlbum`, `noSuchPhoto` for a cover that is not in it, and what `make` throws of a name.
        package func change(
            _ id: String, name: String? = nil, cover: PhotoCorrection.Word<String>? = nil,
            behind: PhotoCorrection.Word<String>? = nil
        ) async throws -> Album {
            let (vault, albumID) = (try session.requireOwnVault(), try albumID(id))
            let name = try name.map { text throws(VaultError) in try AlbumName(text) }
            let serial: UInt64? = if case .said(let photo) = cover { try session.serial(photo) } else { nil }
            let changesCover = cover != nil
            let other: AlbumID? = if case .said(let album) = behind { try self.albumID(album) } else { nil }
            let isMoved = behind != nil
            try await translating {
                try await vault.change(mayUseReserve: true) { change in
                    _ = try change.album(albumID)
                    if let name { try change.rename(albumID, to: name) }
                    if changesCover { try change.setCover(of: albumID, to: serial) }
                    if isMoved { try change.move(albumID, behind: other) }
                }
            }
            return try await album(id)
        }

        /// - Parameter deletesPhotos: whether what is in it goes to "Recently deleted".
        /// - Returns: how many photos did.
        /// - Throws: `noSuchAlbum`.
        package func remove(_ id: String, deletesPhotos: Bool) async throws -> Int {
            let (vault, albumID) = (try session.requireOwnVault(), try albumID(id))
            let now = deletesPhotos ? try await session.trash.momentOfDeletion() : 0
            let serials = deletesPhotos ? try await members(of: id, in: vault) : []
            let (record, count) = try await translating {
                try await vault.change(mayUseReserve: true) { change in
                    let record = try change.removeAlbum(albumID)
                    let count = try change.update(serials, where: { $0.deletedAt == nil }, { $0.deletedAt = now })
                    return (record, count)
                }
            }
            session.remember(RemovedAlbum(record: record, serials: serials, deletedAt: now))
            return count
        }

        /// An album that this session has removed stands again as it was, with its photos, its cover and what of it was
        /// deleted along.
        /// - Throws: `noSuchAlbum` for one that it has not removed lately; `albumNameTaken` by one that was made since.
        package func bringBack(_ id: String) async throws -> Album {
            let (vault, albumID) = (try session.requireOwnVault(), try albumID(id))
            guard let removed = session.removedAlbum(albumID) else { throw VaultError.noSuchAlbum }
            try await translating {
                try await vault.change(mayUseReserve: true) { try $0.bringBack(removed.record) }
                // What somebody deleted apart from it stays where it is.
                _ = try await vault.restore(removed.serials, deletedAt: removed.deletedAt)
            }
            return try await album(id)
        }

        /// - Returns: how many of them were not in it before.
        /// - Throws: `noSuchAlbum`, `noSuchPhoto`; `tooManyAlbums` where one is in 64 already: then none has joined.
        package func add(_ ids: [String], to id: String) async throws -> Int {
            if let count = try await mark(ids, as: id, true) { return count }
            let (vault, albumID, serials) = (
                try session.requireOwnVault(), try albumID(id), try session.distinctSerials(ids)
            )
            return try await translating {
                try await vault.change(mayUseReserve: true) { try $0.join(serials, to: albumID) }
            }
        }

        /// - Returns: how many of them were in it.
        /// - Throws: `noSuchAlbum`, `noSuchPhoto`.
        package func takeOut(_ ids: [String], of id: String) async throws -> Int {
            if let count = try await mark(ids, as: id, false) { return count }
            let (vault, albumID, serials) = (
                try session.requireOwnVault(), try albumID(id), try session.distinctSerials(ids)
            )
            return try await translating {
                try await vault.change(mayUseReserve: true) { try $0.leave(serials, from: albumID) }
            }
        }

        /// Joins an album that is a mark of its photos; nil for the others.
        private func mark(_ ids: [String], as id: String, _ isMarked: Bool) async throws -> Int? {
            switch id {
            case Album.favourites: try await session.photos.setFavourite(ids, isMarked)
            case Album.archived: try await session.photos.setArchived(ids, isMarked)
            default: nil
            }
        }

        private func albumID(_ text: String) throws(VaultError) -> AlbumID {
            guard let id = AlbumID(text: text) else { throw .noSuchAlbum }
            return id
        }

        /// - Parameter id: of one that nobody has made.
        private func album(_ summary: AlbumSummary, _ id: String) -> Album {
            let record = summary.record
            return Album(
                id: record?.id.text ?? id, name: record?.name, count: summary.count,
                cover: summary.cover.map(session.handle), coverKeeping: summary.coverKeeping,
                isCoverChosen: summary.isCoverChosen,
                createdAt: record.map { Milliseconds.date($0.createdAt) },
                usedAt: record.map { Milliseconds.date($0.usedAt) }, place: record?.place)
        }
    }
}

extension Session.Photos {
    /// - Returns: how many it changed.
    /// - Throws: `noSuchPhoto`, `vaultNeeded`.
    package func setFavourite(_ ids: [String], _ isFavourite: Bool) async throws -> Int {
        try await mark(ids) { change, serials in try change.setFavourite(serials, isFavourite) }
    }

    /// Keeps photos out of the timeline, or lets them in again.
    /// - Returns: how many it changed.
    /// - Throws: `noSuchPhoto`, `vaultNeeded`.
    package func setArchived(_ ids: [String], _ isArchived: Bool) async throws -> Int {
        try await mark(ids) { change, serials in try change.setArchived(serials, isArchived) }
    }

    /// Says of photos that look alike that they are no doubles of each other, or takes it back.
    /// - Returns: how many it changed.
    /// - Throws: `noSuchPhoto`, `vaultNeeded`.
    package func setApart(_ ids: [String], _ isApart: Bool) async throws -> Int {
        try await mark(ids) { change, serials in try change.setApart(serials, isApart) }
    }

    /// - Throws: `noSuchPhoto`, `captionTooLong`, `takenAtInvalid`, `rotationInvalid`, `vaultNeeded`.
    package func correct(_ id: String, _ correction: PhotoCorrection) async throws -> Photo {
        let (vault, serial) = (try session.requireOwnVault(), try session.serial(id))
        if case .said(let caption) = correction.caption,
            caption.unicodeScalars.count > Keeping.longestCaption
        {
            throw VaultError.captionTooLong
        }
        if case .said(let time) = correction.takenAt, !time.canBeSaid(now: Int64(bitPattern: Milliseconds.now)) {
            throw VaultError.takenAtInvalid
        }
        if let rotation = correction.rotation, ![0, 90, 180, 270].contains(rotation) {
            throw VaultError.rotationInvalid
        }
        try await translating { try await vault.change(mayUseReserve: true) { try $0.correct(serial, correction) } }
        return try await photo(id)
    }

    /// Moves when these photos were taken.
    /// - Returns: how many it moved.
    /// - Throws: `noSuchPhoto`; `takenAtInvalid` where one cannot have been taken then: none has moved; `vaultNeeded`.
    package func shift(_ ids: [String], minutes: Int) async throws -> Int {
        let (vault, serials) = (try session.requireOwnVault(), try session.distinctSerials(ids))
        return try await translating {
            // Whoever repeats what was cut off must not move some of them twice.
            try await vault.change(mayUseReserve: true) { try $0.shift(serials, minutes: minutes) }
        }
    }

    /// In parts, so that nobody else waits for a long list: what was cut off can be said again.
    func mark(
        _ ids: [String], _ body: @escaping @Sendable (inout VaultChange, ArraySlice<UInt64>) throws -> Int
    ) async throws -> Int {
        let (vault, serials) = (try session.requireOwnVault(), try session.distinctSerials(ids))
        return try await translating {
            try await vault.inParts(serials) { part, change in try body(&change, part) }
        }
    }
}
