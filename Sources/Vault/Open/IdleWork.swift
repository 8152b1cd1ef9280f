import Content
import Media
import Records
import Store
import Synchronization

/// Work on an open vault that nobody waits for: one task, which begins when there may be something to do, goes on while
/// nobody uploads, and ends when nothing is left. It keeps no hold of the vault, and ends with it.
final class IdleWork: Sendable {
    /// In a row: then what fails is no accident, and waits until there is more to do.
    private static let mostFailures = 3

    /// Does all that there is to do. What it throws ends this round: the disk takes no writes, or the vault is gone.
    typealias Round = @Sendable (inout RereadPacing) async throws -> Void

    private struct State {
        weak var vault: OpenVault?
        var task: Task<Void, Never>?
        /// Something came while the task ran.
        var hasMore = false
        /// Photos that failed since the vault was opened; the next opening tries them again.
        var skipped: Set<UInt64> = []
    }

    let engine: UploadEngine
    private let state = Mutex(State())

    init(engine: UploadEngine) { self.engine = engine }

    func start(_ vault: OpenVault) { state.withLock { $0.vault = vault } }

    /// There may be something to do.
    func wake(_ round: @escaping Round) {
        state.withLock { state in
            state.hasMore = true
            guard state.task == nil else { return }
            state.task = Task(priority: .background) { [weak self] in await self?.run(round) }
        }
    }

    /// Returns when there is nothing to do at the moment.
    func pause() async { await state.withLock { $0.task }?.value }

    /// Its vault is gone.
    func stop() { state.withLock { $0.task }?.cancel() }

    private func run(_ round: Round) async {
        var pacing = RereadPacing(engine.limits)
        var failures = 0
        while isWanted() {
            do {
                try await round(&pacing)
                failures = 0
            } catch is CancellationError {
            } catch {
                // A photo that became one with another meanwhile is no reason to leave the rest until something else comes.
                failures += 1
                if failures < Self.mostFailures { state.withLock { $0.hasMore = true } }
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

    // MARK: Within a round

    /// - Throws: `CancellationError` where the vault is gone or takes no writes.
    func vault() throws -> OpenVault {
        guard let vault = state.withLock({ $0.vault }), !vault.isReadOnly else { throw CancellationError() }
        return vault
    }

    /// Leaves photos to the next opening.
    func skip(_ serials: [UInt64]) { state.withLock { $0.skipped.formUnion(serials) } }

    /// There is something new about these.
    func takeBack(_ serials: [UInt64]) { state.withLock { $0.skipped.subtract(serials) } }

    /// Another round is to follow this one.
    func again() { state.withLock { $0.hasMore = true } }

    /// Those that were skipped, and those whose objects are lost.
    func skipped(in vault: OpenVault) -> Set<UInt64> { state.withLock { $0.skipped }.union(vault.lostSerials) }
}

extension VaultChange {
    /// Takes over what was found of photos. Nothing happens to one that is gone, or that is another one by now.
    /// - Returns: serials of those whose rows cannot be read.
    mutating func note<Finding>(
        _ found: [Finding], of photo: (Finding) -> LibraryPhoto,
        _ body: (inout VaultChange, Finding, LibraryPhoto) throws -> Void
    ) throws -> [UInt64] {
        var left: [UInt64] = []
        for finding in found {
            let looked = photo(finding)
            guard let present = try current(looked.serial, in: vault.library), present.object == looked.object else {
                continue
            }
            do {
                try body(&self, finding, present)
            } catch VaultError.damaged {
                left.append(present.serial)
            }
        }
        return left
    }

    /// Changes a photo; lists are told only of what is news to them.
    /// - Parameter body: whether that is news.
    /// - Returns: what it is now; nil where it is no news.
    mutating func updateQuietly(
        at number: UInt64, _ body: (inout PhotoRecord) throws -> Bool
    ) throws -> PhotoRecord? {
        var (changed, isNews): (PhotoRecord?, Bool) = (nil, true)
        try update(at: number) { record in
            isNews = try body(&record)
            changed = record
        }
        guard let changed, !isNews else { return changed }
        draft.replaceLast(by: .put(LibraryEntry(rowNumber: number, record: changed, isNews: false)))
        return nil
    }
}

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
