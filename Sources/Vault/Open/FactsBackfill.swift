import Content
import Media
import Store

/// Reads again what photos of an open vault say about themselves, where another version of the program had read it: once
/// after an upgrade, the newest first, while nobody uploads. Ends with the vault, and goes on at its next opening.
///
/// Photos change in groups, so that whoever is looking at them sees few changes, and none where nothing is another.
final class FactsBackfill: Sendable {
    /// What one file says.
    package struct Finding: Sendable {
        package let photo: LibraryPhoto
        package let type: MediaType
        package let facts: MediaFacts
    }

    /// In one commit, beside which an upload waits for a tenth of a second.
    private static let photosPerCommit = 256
    /// Their zones are looked for among the photos around each.
    private static let videosPerCommit = 32
    /// So much is read again at most when a vault is locked meanwhile.
    private static let timePerCommit: Duration = .seconds(5)

    private let work: IdleWork

    init(engine: UploadEngine) { work = IdleWork(engine: engine) }

    /// For a vault whose library is there.
    func start(_ vault: OpenVault) {
        work.start(vault)
        wake()
    }

    /// What kept it from writing may be over. New photos are of this version, and wake nobody.
    func wake() {
        work.wake { [weak self] pacing in
            while try await self?.readSome(&pacing) == true {}
        }
    }

    func pause() async { await work.pause() }

    func stop() { work.stop() }

    /// - Returns: whether there may be more.
    private func readSome(_ pacing: inout RereadPacing) async throws -> Bool {
        let photos = try await next()
        guard !photos.isEmpty else { return false }
        var found: [Finding] = []
        let began = ContinuousClock.now
        for photo in photos.prefix(photos[0].isVideo ? Self.videosPerCommit : Self.photosPerCommit) {
            if !found.isEmpty, began.duration(to: .now) > Self.timePerCommit { break }
            try await work.engine.waitForTurn(&pacing)
            if let finding = try await read(photo) { found.append(finding) } else { work.skip([photo.serial]) }
        }
        work.skip(try await work.vault().change { [found] in try $0.noteAgain(found) })
        return true
    }

    private func next() async throws -> [LibraryPhoto] {
        let vault = try work.vault()
        return try await vault.library.withOldFacts(except: work.skipped(in: vault), limit: Self.photosPerCommit)
    }

    /// Nil for what cannot be read: the re-read finds out why, and says so.
    private func read(_ photo: LibraryPhoto) async throws -> Finding? {
        let vault = try work.vault()
        return try? await work.engine.threads.runIdly {
            let reader = try vault.reader(of: photo)
            defer { reader.forgetCached() }
            let (type, facts) = try ObjectBytes(reader: reader, byteCount: photo.byteCount)
                .typeAndFacts(now: VaultChange.latestTime(receivedAt: photo.receivedAt))
            return Finding(photo: photo, type: type, facts: facts)
        }
    }
}
