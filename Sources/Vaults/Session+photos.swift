import Media
package import Records
package import Store
package import Vault

extension Session {
    /// What there is.
    package var photos: Photos { Photos(session: self) }

    /// Photos of a vault that do not lie in "Recently deleted".
    package struct Photos: Sendable {
        let session: Session

        /// - Parameters:
        ///   - cursor: of the page before, or nil for the newest photos.
        ///   - since: the id of a photo, be it deleted; only those that came behind it are listed.
        /// - Throws: `invalidCursor` for either that names nothing here.
        package func page(cursor: String?, since: String? = nil, limit: Int = 500) async throws -> PhotoPage {
            let vault = try session.requireVault()
            let (before, after) = (try cursor.map(place), try since.map(place))
            let limit = min(max(1, limit), 1000)
            let found = try await vault.library.photos(
                after: after, before: before, limit: limit + LivePhotoPage.margin)
            let end = LivePhotoPage.end(of: found.lazy.map(Self.candidate), limit: limit)
            let shown = found.prefix(end)
            return PhotoPage(
                photos: paired(shown), cursor: found.count > end ? shown.last.map { session.handle($0.serial) } : nil)
        }

        /// All photos in blocks, whose states tell which of them have to be listed again.
        package func blocks() async throws -> [PhotoBlock] { try await session.requireVault().library.blocks() }

        /// The photos of a block, newest first. Live Photos know their videos also where the block ends between the two.
        /// - Throws: `invalidCursor` for a number that no block can have.
        package func page(ofBlock number: UInt64) async throws -> PhotoPage {
            let library = try session.requireVault().library
            guard let serials = PhotoBlock.serials(of: number) else { throw VaultError.invalidCursor }
            let margin = UInt64(LivePhotoPage.margin)
            let (start, end) = (serials.lowerBound - min(margin, serials.lowerBound), serials.upperBound + margin)
            let found = try await library.photos(
                after: start == 0 ? nil : start - 1, before: end, limit: serials.count + 2 * LivePhotoPage.margin)
            let own = found.filter { serials.contains($0.serial) }
            let newer = found.filter { $0.serial >= serials.upperBound }
            let older = found.filter { $0.serial < serials.lowerBound }
            return PhotoPage(photos: paired(own, between: (newer, older)), cursor: nil)
        }

        private func place(_ id: String) throws(VaultError) -> UInt64 {
            do { return try session.serial(id) } catch { throw .invalidCursor }
        }

        /// The photos of a month, the newest first. Live Photos know their videos also where a page ends between the two.
        /// - Parameters:
        ///   - scope: of which photos the month is.
        ///   - cursor: that of the page before.
        ///   - skipped: how many photos that follow are left out.
        /// - Throws: `invalidCursor`.
        package func page(
            of month: CalendarMonth, in scope: TimelineScope = .timeline, cursor: String?, skipping skipped: Int = 0,
            limit: Int = 500
        ) async throws -> PhotoPage {
            let vault = try session.requireVault()
            let before = try cursor.map(timelinePlace)
            let limit = min(max(1, limit), 1000)
            let part = try await vault.library.part(
                of: month, in: scope, before: before, skipping: skipped, limit: limit)
            let last = part.isLast ? nil : part.photos.last
            return PhotoPage(
                photos: paired(part.photos, between: (part.newer, part.older)),
                cursor: last.map { "\($0.shownAt).\(session.handle($0.serial))" })
        }

        /// Months with photos, the newest first.
        package func months(
            of scope: TimelineScope = .timeline
        ) async throws -> [(month: CalendarMonth, count: Int)] {
            try await session.requireVault().library.months(of: scope)
        }

        /// Photos that do not lie in "Recently deleted". Asking does not count as use of the session.
        package func count() async throws -> Int {
            guard let vault = session.openVault else { throw VaultError.sessionEnded }
            return try await vault.library.photoCount()
        }

        /// Of how many nobody knows yet how they look. Asking does not count as use of the session.
        package func withoutPictures() async throws -> Int {
            guard let vault = session.openVault else { throw VaultError.sessionEnded }
            return try await vault.library.unseenCount()
        }

        package func photo(_ id: String) async throws -> Photo {
            let found = try await session.libraryPhoto(id, in: try session.requireVault())
            var photo = session.photo(found)
            let library = try session.requireVault().library
            photo.details.sidecars = try await library.sidecars(of: [found.serial]).map(session.photo)
            photo.details.albums = try await library.albumNames(found.keeping.albums)
            photo.details.words = found.words
            return photo
        }

        /// What files beside a photo said when it was brought; nil where there were none.
        package func told(_ id: String) async throws -> SidecarFacts? {
            let vault = try session.requireVault()
            let found = try await session.libraryPhoto(id, in: vault)
            return try await session.reading { try vault.told(of: found) }
        }

        /// The sealed object that a photo's bytes lie in: for whoever has to fetch it before it can be read.
        package func object(of id: String) async throws -> ObjectID {
            try await session.libraryPhoto(id, in: try session.requireVault()).object
        }

        package func original(_ id: String) async throws -> Original {
            let vault = try session.requireVault()
            let serial = try session.serial(id)
            var failed: LibraryPhoto?
            while true {
                let (found, opening) = try await session.reading { try vault.openOriginal(serial) }
                switch opening {
                case .success(let reader):
                    return Original(found, photo: session.photo(found), of: vault, session: session, reader: reader)
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
            guard let vault = try? session.requireVault(), (try? await vault.noteDamaged(photo)) != nil else { return }
            vault.verifier.wake()
        }

        func timelinePlace(_ cursor: String) throws -> TimelinePlace {
            let parts = cursor.split(separator: ".")
            guard parts.count == 2, let shownAt = Int64(parts[0]), let serial = try? session.serial(String(parts[1]))
            else {
                throw VaultError.invalidCursor
            }
            return TimelinePlace(shownAt: shownAt, serial: serial)
        }
    }
}

extension Session.Photos {
    /// Photos of one list, in which Live Photos know their videos, and pictures the raw files of the same shots.
    /// - Parameter neighbours: those that stand before and behind them, among which the other half may be.
    func paired(
        _ found: some Collection<LibraryPhoto>, between neighbours: ([LibraryPhoto], [LibraryPhoto]) = ([], [])
    ) -> [Photo] {
        var photos = found.map(session.photo)
        // What the neighbours say need not be read for pictures alone.
        let hasOther =
            found.contains(where: \.mayGoAlong) || neighbours.0.contains(where: \.mayGoAlong)
            || neighbours.1.contains(where: \.mayGoAlong)
        guard hasOther else { return photos }
        let own = zip(found, photos).map { Self.candidate($0, $1.details) }
        let candidates = neighbours.0.map(Self.candidate) + own + neighbours.1.map(Self.candidate)
        let pairing = LivePhotoPairing(candidates)
        let videos = Dictionary(pairing.pairs.map { ($0.photo, $0.video) }) { first, _ in first }
        for (index, row) in found.enumerated() {
            photos[index].details.liveVideo = videos[row.serial].map(session.handle)
            photos[index].details.raw = pairing.raws[row.serial].map(session.handle)
        }
        return photos
    }

    /// One that may be half of a Live Photo.
    static func candidate(_ photo: LibraryPhoto) -> LivePhotoPairing<UInt64>.Candidate {
        candidate(photo, PhotoDetails(photo))
    }

    private static func candidate(
        _ photo: LibraryPhoto, _ details: PhotoDetails
    ) -> LivePhotoPairing<UInt64>.Candidate {
        var facts = details.facts
        facts.takenAt = details.takenAt
        return .init(
            id: photo.serial, name: photo.name, type: MediaType(mimeType: photo.type), facts: facts,
            shot: photo.shot(details))
    }
}

extension LibraryPhoto {
    /// Whether it may be the other half of a picture.
    fileprivate var mayGoAlong: Bool { isVideo || MediaType(mimeType: type).isRaw }
}
