import Foundation
package import Records
import Store
package import Vault

/// An album as a folder of files.
package struct AlbumFolder: Sendable, Equatable {
    package let id: AlbumID
    /// As people gave it.
    package let albumName: AlbumName
    /// As a part of a path shows it; no two albums share one.
    package let name: String
    fileprivate let row: UInt64

    package var files: FileFolder { .album(row: row) }
}

extension Session.Files {
    /// All albums but that of all hearts, the oldest first. Where two look alike as parts of a path, the younger is
    /// numbered.
    package func albums() async throws -> [AlbumFolder] {
        var taken: Set<String> = []
        return try await vault().library.albumPlaces().compactMap { row, id, stored in
            guard let albumName = try? AlbumName(stored) else { return nil }
            let shown = ShownFileName.shown(stored)
            var (name, number) = (shown, 1)
            while !taken.insert(AlbumName.comparable(name)).inserted {
                number += 1
                name = FileNumbering.name(shown, number)
            }
            return AlbumFolder(id: id, albumName: albumName, name: name, row: row)
        }
    }

    /// The one of that name, as albums compare them; nil where there is none.
    package func album(shown name: String) async throws -> AlbumFolder? {
        let wanted = AlbumName.comparable(name)
        return try await albums().first { AlbumName.comparable($0.name) == wanted }
    }

    /// A photo if it is in the album; nil otherwise.
    package func photo(_ id: String, in album: AlbumFolder) async throws -> Photo? {
        do {
            let found = try await session.libraryPhoto(id, in: try vault())
            let isThere = found.deletedAt == nil && found.keeping.albums.contains(album.id)
            return isThere || found.isHeld ? session.photo(found) : nil
        } catch VaultError.noSuchPhoto {
            return nil
        }
    }

    /// Photos that go from one album into another.
    package struct Refiling: Sendable {
        package var ids: [String]
        package var old: AlbumName?
        /// Made where there is none.
        package var new: AlbumName?
        /// What they are called from then on; nil leaves that as it is.
        package var name: String?

        package init(_ ids: [String], outOf old: AlbumName?, into new: AlbumName?, name: String? = nil) {
            self.ids = ids
            self.old = old
            self.new = new
            self.name = name
        }
    }

    /// All of it in one change, durable on return.
    /// - Parameter replaced: an album that goes, and leaves its photos.
    /// - Throws: `nameInvalid`, `noSuchAlbum`, `noSuchPhoto`, `tooManyAlbums`, `readOnly`.
    package func refile(_ refilings: [Refiling], replacing replaced: AlbumFolder? = nil) async throws {
        let vault = try writableVault()
        guard !vault.isGuest || (replaced == nil && refilings.allSatisfy { $0.old == nil && $0.new == nil }) else {
            throw VaultError.vaultNeeded
        }
        let pass = try session.enterDoor()
        defer { withExtendedLifetime(pass) {} }
        let steps = try refilings.map { refiling in
            if let name = refiling.name { try session.uploads.requireValid(name: name) }
            return (serials: try session.distinctSerials(refiling.ids), refiling: refiling)
        }
        try await translating {
            try await vault.change { change in
                if let replaced { try change.removeAlbum(replaced.id) }
                for (serials, refiling) in steps {
                    try change.refile(serials, outOf: refiling.old, into: refiling.new)
                    guard let name = refiling.name else { continue }
                    for serial in serials { try change.rename(serial, to: name) }
                }
            }
        }
    }

    /// Durable on return.
    /// - Parameter replaced: as in `refile`.
    /// - Throws: `noSuchAlbum`, `albumNameTaken`, `readOnly`.
    package func rename(_ album: AlbumFolder, to name: AlbumName, replacing replaced: AlbumFolder?) async throws {
        let vault = try session.requireOwnVault()
        try await translating {
            try await vault.change { change in
                if let replaced { try change.removeAlbum(replaced.id) }
                try change.rename(album.id, to: name)
            }
        }
    }
}

extension AlbumName {
    /// Clients send either form of Unicode; kept is the shorter one, as pages send it.
    /// - Throws: `albumNameEmpty`, `albumNameTooLong`.
    package init(composing name: String) throws(VaultError) {
        try self.init(name.precomposedStringWithCanonicalMapping)
    }

    /// Of an album for what lies in a folder, by the names on the way there: `Holiday 2024 / Rome`, as a page calls it
    /// that sends folders. Of a way that is too long its end tells more than its beginning.
    /// - Throws: `albumNameEmpty`.
    package static func ofFolder(_ names: [String]) throws(VaultError) -> AlbumName {
        var parts = names.map { $0.precomposedStringWithCanonicalMapping.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        while parts.count > 1, parts.joined(separator: " / ").utf8.count > AlbumRecord.longestName {
            parts.removeFirst()
        }
        return try AlbumName(cut(parts.joined(separator: " / ")))
    }
}

extension Session {
    /// What belongs together, and its receipt.
    package var batches: Batches { Batches(session: self) }

    /// Photos that were chosen together.
    package struct Batches: Sendable {
        private static let receiptPartCount = 1000
        let session: Session

        /// - Returns: the id of a new batch, 22 characters of base64url. It is kept for seven days; where there are many of
        ///   which nothing came, the oldest of these gives way.
        /// - Throws: `guestFull`.
        package func create() async throws -> String {
            try await translating {
                let vault = try session.requireWritableVault()
                try await vault.makePlaceForBatch()
                try vault.requireRoomAsGuest(for: GuestDiskUsage.leastByteCountPerRow)
                let record = BatchRecord(id: try BatchID(), expiresDay: vault.store.firstDay + BatchRecord.days)
                try await vault.change { try $0.add(record) }
                return record.id.text
            }
        }

        /// Declares that no further upload will name it; repeating it changes nothing.
        /// - Throws: `noSuchBatch`.
        package func finish(_ id: String) async throws -> BatchStatus {
            try await translating {
                let vault = try session.requireWritableVault()
                let entry = try await entry(id, in: vault)
                if !entry.record.isFinished { try await vault.change { try $0.finish(entry) } }
                return try await status(of: entry.record.id, isFinished: true, in: vault)
            }
        }

        /// Says how far the batch is. Asking does not count as use of the session.
        /// - Throws: `noSuchBatch`.
        package func status(of id: String) async throws -> BatchStatus {
            try await translating {
                guard session.isOpen, let vault = session.openVault else { throw VaultError.sessionEnded }
                let entry = try await entry(id, in: vault)
                return try await status(of: entry.record.id, isFinished: entry.record.isFinished, in: vault)
            }
        }

        /// Hands out what was read back, in the order of arrival, in parts.
        /// - Throws: `noSuchBatch`; `sessionEnded` also between two parts.
        package func receipt(of text: String, _ body: ([ReceiptLine]) async throws -> Void) async throws {
            var place: ReceiptPlace?
            repeat {
                let part = try await translating { [place] in
                    guard session.isOpen, let vault = session.openVault else { throw VaultError.sessionEnded }
                    guard let id = BatchID(text: text) else { throw VaultError.noSuchBatch }
                    return try await vault.library.receipt(of: id, behind: place, atMost: Self.receiptPartCount)
                }
                try await body(part.lines)
                place = part.end
            } while place != nil
        }

        private func entry(_ text: String, in vault: OpenVault) async throws -> BatchEntry {
            guard let id = BatchID(text: text), let entry = try await vault.library.batch(id, today: vault.store.today)
            else { throw VaultError.noSuchBatch }
            return entry
        }

        private func status(of id: BatchID, isFinished: Bool, in vault: OpenVault) async throws -> BatchStatus {
            // First: one that finishes in between is then counted as under way, not left out.
            let underWay = vault.uploads.all.count { $0.record.batch == id }
            let tally = try await vault.library.tally(of: id)
            let isDone = isFinished && tally.verified + tally.damaged == tally.saved + tally.duplicates
            var status = BatchStatus(
                id: id.text, total: tally.saved + tally.duplicates + underWay, saved: tally.saved,
                duplicates: tally.duplicates, failed: tally.damaged + (isFinished ? underWay : 0),
                verified: tally.verified, isFinished: isFinished, isDone: isDone)
            status.movingIn = try await vault.library.movingIn(of: id)
            return status
        }
    }
}
