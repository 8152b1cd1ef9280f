import Bytes
import Records
import Sealing
import Store
import Vault

/// What somebody wants as one file.
struct ArchiveSelection {
    var entries: [ArchiveEntry] = []
    var folders: [String] = []
    var name: String?
}

extension Session {
    /// Several photos as one file.
    package var archives: Archives { Archives(session: self) }

    /// Selections of photos that can be fetched as one file.
    package struct Archives: Sendable {
        let session: Session

        /// - Parameters:
        ///   - albums: ids of albums. One alone has no folder, and gives the file its name; of several, and beside photos,
        ///     each is a folder.
        ///   - favourites: what the album of all hearts is called, or another one that nobody has made and named.
        /// - Returns: a name under which the archive can be fetched in this session, until ten minutes after its last use.
        /// - Throws: `busy` where archives have taken all the memory that there is for them.
        package func make(
            _ ids: [String], albums: [String] = [], favourites: String = Album.favouritesName
        ) async throws -> String {
            guard try !session.requireVault().isGuest else { throw VaultError.vaultNeeded }
            var contents = ArchiveSelection(entries: try await entries(ids))
            let favourites = try AlbumName(favourites).text
            for id in albums {
                let name = try await session.albums.album(id).name ?? favourites
                try await add(id, called: name, to: &contents, hasFolder: albums.count > 1 || !ids.isEmpty)
            }
            guard !contents.entries.isEmpty else { throw VaultError.noSuchPhoto }
            let name = Base64URL.encode(try translated { try randomBytes(16) })
            try session.remember(archive: name, contents)
            return name
        }

        private func add(
            _ id: String, called name: String, to contents: inout ArchiveSelection, hasFolder: Bool
        ) async throws {
            let vault = try session.requireVault()
            let members = try await vault.library.serials(in: try await session.albums.scope(of: id))
            if hasFolder { contents.folders.append(name) } else { contents.name = name }
            let folder = hasFolder ? contents.folders.count - 1 : nil
            contents.entries += try await session.withSidecars(members, in: vault).map {
                ArchiveEntry(serial: $0, folder: folder)
            }
        }

        private func entries(_ ids: [String]) async throws -> [ArchiveEntry] {
            try await session.withSidecars(session.distinctSerials(ids), in: try session.requireVault()).map {
                ArchiveEntry(serial: $0)
            }
        }

        /// Puts more photos behind those of an archive: a list of ids has a largest size.
        /// - Throws: `archiveGone` for a name that this session does not know, and once the archive was fetched.
        package func add(_ ids: [String], to name: String) async throws {
            let more = try await entries(ids)
            guard try archive(name).add(more) else { throw VaultError.archiveGone }
        }

        /// - Throws: `archiveGone` for a name that this session does not know, or not any more.
        package func archive(_ name: String) throws -> Archive {
            _ = try session.requireVault()
            guard let archive = session.rememberedArchive(name) else { throw VaultError.archiveGone }
            session.touch(archive)
            return archive
        }

        /// Runs what reads photos and sends nothing of them: one at a time in a vault, since no network slows it down.
        package func readingAhead<R>(_ body: () async throws -> R) async throws -> R {
            let turns = try session.requireVault().readingAhead
            await turns.acquire()
            defer { turns.release() }
            return try await body()
        }
    }
}
