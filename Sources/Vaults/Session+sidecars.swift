import Records
package import Vault

extension Session {
    /// What lay beside photos that have not come.
    package var sidecars: Sidecars { Sidecars(session: self) }

    /// Files that say something of photos, and wait for them.
    package struct Sidecars: Sendable {
        private static let mostListed = 500
        let session: Session

        /// How many wait, and the newest of them.
        package func waiting() async throws -> (photos: [Photo], count: Int) {
            try await translating {
                let (found, count) = try await session.requireVault().library.waitingSidecars(atMost: Self.mostListed)
                return (found.map(session.photo), count)
            }
        }

        /// All that wait, by id, with the paths that were told of them; what lay in no folder has its name alone.
        package func paths() async throws -> [(id: String, path: String)] {
            try await translating {
                try await session.requireVault().library.waitingPaths().map { (session.handle($0.serial), $0.path) }
            }
        }

        /// Their photos will not come: nothing of them is left.
        package func forget() async throws {
            try await translating {
                let vault = try session.requireWritableVault()
                while true {
                    let found = try await vault.library.waitingSidecars(atMost: Self.mostListed).photos
                    guard !found.isEmpty else { break }
                    _ = try await vault.inParts(found.map(\.serial)) { part, change in try change.removeHeld(part) }
                }
                await vault.reap()
            }
        }
    }
}
