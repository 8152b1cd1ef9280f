import Media
import Store
import Synchronization

/// Reads again what photos of an open vault say about themselves, where another version of the program had read it: once
/// after an upgrade, the newest first, while nobody uploads. Ends with the vault, and goes on at its next opening.
///
/// Photos change in groups, so that whoever is looking at them sees few changes, and none where nothing is another.
final class FactsBackfill: Sendable {
    /// What one file says.
    struct Finding: Sendable {
        let photo: LibraryPhoto
        let type: MediaType
        let facts: MediaFacts
    }

    private struct State {
        weak var vault: OpenVault?
        var task: Task<Void, Never>?
        var hasMore = false
        /// Photos that could not be read since the vault was opened; the next opening tries them again.
        var left: Set<UInt64> = []
    }

    /// In one commit, beside which an upload waits for a tenth of a second.
    private static let photosPerCommit = 256
    /// Their zones are looked for among the photos around each.
    private static let videosPerCommit = 32
    /// So much is read again at most when a vault is locked meanwhile.
    private static let timePerCommit: Duration = .seconds(5)

    private let engine: UploadEngine
    private let state = Mutex(State())

    init(engine: UploadEngine) { self.engine = engine }

    /// For a vault whose library is there. Keeps no hold of it.
    func start(_ vault: OpenVault) {
        state.withLock { $0.vault = vault }
        wake()
    }

    /// What kept it from writing may be over. New photos are of this version, and wake nobody.
    func wake() {
        state.withLock { state in
            state.hasMore = true
            guard state.task == nil else { return }
            state.task = Task(priority: .background) { [weak self] in await self?.run() }
        }
    }

    /// Returns when there is nothing to read at the moment.
    func pause() async {
        await state.withLock { $0.task }?.value
    }

    /// Its vault is gone.
    func stop() {
        state.withLock { $0.task }?.cancel()
    }

    private func run() async {
        var pacing = RereadPacing(
            quiet: engine.limits.quietBeforeReread ?? .zero, patience: engine.limits.patienceBeforeReread)
        while isWanted() {
            do {
                while try await readSome(&pacing) {}
            } catch {
                // A disk that takes no writes, or a vault that is gone or only read. The next opening goes on.
            }
        }
    }

    /// False, and the task is over, when nothing came since the last time it was asked.
    private func isWanted() -> Bool {
        state.withLock { state in
            defer { state.hasMore = false }
            guard !Task.isCancelled, state.hasMore else {
                state.task = nil
                return false
            }
            return true
        }
    }

    /// - Returns: whether there may be more.
    private func readSome(_ pacing: inout RereadPacing) async throws -> Bool {
        let photos = try await next()
        guard !photos.isEmpty else { return false }
        var found: [Finding] = []
        let began = ContinuousClock.now
        for photo in photos.prefix(photos[0].isVideo ? Self.videosPerCommit : Self.photosPerCommit) {
            if !found.isEmpty, began.duration(to: .now) > Self.timePerCommit { break }
            try await waitForTurn(&pacing)
            if let finding = try await read(photo) { found.append(finding) } else { leave([photo.serial]) }
        }
        let vault = try vault()
        leave(try await vault.change { [found] in try $0.noteAgain(found) })
        return true
    }

    private func vault() throws -> OpenVault {
        guard let vault = state.withLock({ $0.vault }), !vault.isReadOnly else { throw CancellationError() }
        return vault
    }

    private func leave(_ serials: [UInt64]) { state.withLock { $0.left.formUnion(serials) } }

    private func next() async throws -> [LibraryPhoto] {
        let vault = try vault()
        let left = state.withLock { $0.left }.union(vault.lostSerials)
        return try await vault.library.withOldFacts(except: left, limit: Self.photosPerCommit)
    }

    private func waitForTurn(_ pacing: inout RereadPacing) async throws {
        await engine.waitForTurn(&pacing)
        await engine.gate.waitUntilIdle()
        try Task.checkCancellation()
    }

    /// Nil for what cannot be read: the re-read finds out why, and says so.
    private func read(_ photo: LibraryPhoto) async throws -> Finding? {
        let vault = try vault()
        return try? await engine.runIdly {
            let reader = try vault.reader(of: photo)
            defer { reader.forgetCached() }
            let (type, facts) = try ObjectBytes(reader: reader, byteCount: photo.byteCount)
                .typeAndFacts(now: VaultChange.latestTime(receivedAt: photo.receivedAt))
            return Finding(photo: photo, type: type, facts: facts)
        }
    }
}
