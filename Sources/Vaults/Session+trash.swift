import Records
import Store
package import Vault

extension Session {
    /// What was deleted, and deleting.
    package var trash: Trash { Trash(session: self) }

    /// "Recently deleted": what lies there for 30 days.
    package struct Trash: Sendable {
        let session: Session

        /// - Parameter cursor: of the page before, or nil for what was deleted last.
        package func page(cursor: String?, limit: Int = 500) async throws -> PhotoPage {
            let vault = try session.requireVault()
            let limit = min(max(1, limit), 1000)
            let found = try await vault.library.trash(behind: try cursor.map(place), limit: limit + 1)
            let shown = found.prefix(limit)
            return PhotoPage(
                photos: shown.map(session.photo), cursor: found.count > limit ? shown.last.map(self.cursor) : nil)
        }

        /// All that lies there, last deleted first.
        package func all() async throws -> [Photo] {
            var part = try await page(cursor: nil)
            var photos = part.photos
            while let cursor = part.cursor {
                part = try await page(cursor: cursor)
                photos += part.photos
            }
            return photos
        }

        /// Sidecars go with their photos.
        /// - Returns: how many were moved; those that lie there already, or are gone, do not count. So it is with one that
        ///   was dropped for an older one of the same content: of two, the person asked for one to go.
        package func move(_ ids: [String]) async throws -> Int {
            let now = try await momentOfDeletion()
            let vault = try session.requireVault()
            let serials = try await session.withSidecars(session.serials(ids), in: vault)
            return try await translating {
                try await vault.update(serials, where: { $0.deletedAt == nil }, { $0.deletedAt = now })
            }
        }

        /// A host that starts with its clock years behind must not let a photo go as soon as the clock is right.
        func momentOfDeletion() async throws -> UInt64 {
            let store = try session.requireVault().store
            let earliest = try await session.engine.threads.run {
                UInt64(try store.latestTrustedDay() ?? 0) * 86_400_000
            }
            return max(Milliseconds.now, earliest)
        }

        /// Where the same content came again in the meantime, the older of the two stays.
        package func restore(_ ids: [String]) async throws -> Int {
            let vault = try session.requireVault()
            let serials = try await session.withSidecars(session.serials(ids), in: vault)
            return try await translating { try await vault.restore(serials) }
        }

        /// Deletes for good what lies in "Recently deleted".
        package func empty() async throws -> Removal {
            try await delete(try await session.requireVault().library.trashSerials())
        }

        /// Deletes for good those of these photos that lie in "Recently deleted"; others do not count, and stay.
        package func delete(_ ids: [String]) async throws -> Removal {
            try await delete(try await session.withSidecars(session.serials(ids), in: try session.requireVault()))
        }

        private func delete(_ serials: [UInt64]) async throws -> Removal {
            let vault = try session.requireVault()
            let count = try await translating { try await vault.removeForGood(serials) }
            guard count > 0 || vault.store.removalFailure != nil else { return Removal(count: 0, obstacle: nil) }
            // They are gone, whatever happens now.
            var obstacle: VaultError?
            do { try await session.engine.removals.finish() } catch { obstacle = error }
            // There may be room now for pictures that a full disk put off, and for what a full vault kept at its doors.
            if count > 0 {
                vault.pictures.wake()
                vault.stuckDoors.wake()
            }
            return Removal(count: count, obstacle: obstacle)
        }

        /// Its moment stands in it, too, so that the list goes on behind a photo that was put back meanwhile.
        private func cursor(_ last: LibraryPhoto) -> String { "\(session.handle(last.serial)).\(last.deletedAt ?? 0)" }

        private func place(_ cursor: String) throws(VaultError) -> TrashPlace {
            let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let deletedAt = UInt64(parts[1]), let serial = try? session.serial(String(parts[0]))
            else {
                throw .invalidCursor
            }
            return TrashPlace(deletedAt: deletedAt, serial: serial)
        }
    }
}
