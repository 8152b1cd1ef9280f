import Records
import Sealing
import Store
import Vault

extension Session {
    /// Several photos as one file.
    package var archives: Archives { Archives(session: self) }

    /// Selections of photos that can be fetched as one file.
    package struct Archives: Sendable {
        let session: Session

        /// - Returns: a name under which the archive can be fetched in this session, until ten minutes after its last use.
        /// - Throws: `busy` where archives have taken all the memory that there is for them.
        package func make(_ ids: [String]) async throws -> String {
            guard try !session.requireVault().isGuest else { throw VaultError.vaultNeeded }
            let asked = try session.distinctSerials(ids)
            guard !asked.isEmpty else { throw VaultError.noSuchPhoto }
            let serials = try await session.withSidecars(asked, in: try session.requireVault())
            let name = Base64URL.encode(try translated { try randomBytes(16) })
            try session.remember(archive: name, serials)
            return name
        }

        /// Puts more photos behind those of an archive: a list of ids has a largest size.
        /// - Throws: `archiveGone` for a name that this session does not know, and once the archive was fetched.
        package func add(_ ids: [String], to name: String) async throws {
            let serials = try await session.withSidecars(session.distinctSerials(ids), in: try session.requireVault())
            guard try archive(name).add(serials) else { throw VaultError.archiveGone }
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
