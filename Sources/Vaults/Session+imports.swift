package import Records
package import Vault

extension Session {
    /// Bringing what lay elsewhere, with a proof.
    package var imports: Imports { Imports(session: self) }

    /// What an import asks and says beside its uploads.
    package struct Imports: Sendable {
        /// Photos in one call at most.
        package static let mostPhotos = 200

        let session: Session

        /// How many photos have not been read back yet: until they are, nobody knows their content.
        package func unreadCount() async throws -> Int {
            try await session.requireOwnVault().library.unverifiedCount()
        }

        /// The photos of this content that were read back from disk, in the order of the questions; nil where there is none.
        package func find(_ contents: [(byteCount: UInt64, sha256: [UInt8])]) async throws -> [Photo?] {
            try await translating {
                let library = try session.requireOwnVault().library
                var found: [Photo?] = []
                for content in contents {
                    found.append(
                        try await library.photo(byteCount: content.byteCount, sha256: content.sha256).map(session.photo)
                    )
                }
                return found
            }
        }

        /// Reads these photos once more from disk, however long ago they were read back; what fails is damaged from now on.
        /// - Returns: those that are whole, in the same order; nil for one that is not, that was never read back, or is gone.
        package func readAgain(_ ids: [String]) async throws -> [Photo?] {
            try await translating {
                let vault = try session.requireOwnVault()
                var whole: [Photo?] = []
                for id in ids {
                    guard let photo = try await present(id, in: vault), photo.verifiedAt != nil, photo.damagedAt == nil,
                        try await vault.verifier.isStillWhole(photo)
                    else {
                        whole.append(nil)
                        continue
                    }
                    whole.append(session.photo(photo))
                }
                return whole
            }
        }

        /// Adds what files beside these photos say, in one transaction.
        /// - Returns: the photos as they are now, in the same order.
        /// - Throws: `noSuchPhoto`.
        package func tell(_ words: [(id: String, words: SidecarWords)]) async throws -> [Photo] {
            try await translating {
                let vault = try session.requireOwnVault()
                let told = try words.map { (try session.serial($0.id), $0.words) }
                let known = try await vault.change { change in
                    try told.map { serial, words in try change.tell(words, of: serial) }
                }
                return try zip(await photos(words.map(\.id)), known).map { photo, told in
                    guard var photo else { throw VaultError.noSuchPhoto }
                    photo.details.told = told
                    return photo
                }
            }
        }

        /// What the last import proved; nil as long as there was none.
        package func last() throws -> LastImportRecord? { try session.requireOwnVault().head.lastImport }

        /// Takes the place of what the import before proved.
        package func note(_ proof: LastImportRecord) async throws {
            try await translating {
                _ = try session.requireOwnVault()
                try await session.requireWritableVault().change { $0.draft.head.lastImport = proof }
            }
        }

        /// The photos as they are now, in the same order: of a duplicate the one that was kept; nil for one that was deleted
        /// for good.
        package func photos(_ ids: [String]) async throws -> [Photo?] {
            try await translating {
                let vault = try session.requireOwnVault()
                var photos: [Photo?] = []
                for id in ids { photos.append(try await present(id, in: vault).map(session.photo)) }
                return photos
            }
        }

        private func present(_ id: String, in vault: OpenVault) async throws -> LibraryPhoto? {
            do {
                return try await session.libraryPhoto(id, in: vault)
            } catch VaultError.noSuchPhoto {
                return nil
            }
        }
    }
}

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
