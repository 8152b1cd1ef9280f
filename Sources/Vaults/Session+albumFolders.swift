import Foundation
package import Records
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
