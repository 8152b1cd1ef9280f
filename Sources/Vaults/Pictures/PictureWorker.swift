import Imaging
import ImagingProtocol
import Media
import Store
import Synchronization

/// Looks into every photo of an open vault once, those that somebody is looking at first, then the newest, and keeps what
/// it says and how it looks. Ends with the vault, and goes on at its next opening.
///
/// It is a lane of its own beside the re-read (`Verifier`): a receipt never waits for a picture.
final class PictureWorker: Sendable {
    private struct State {
        weak var vault: OpenVault?
        /// The vault's name, also when it is gone.
        var owner: [UInt8] = []
        var queue = PictureQueue()
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextTask = 0
        /// Grows whenever something may have come.
        var calls = 0
        var sources: [UInt64: PhotoSource] = [:]
        var waiting: [UInt64: OneTimeEvent] = [:]
        var isStopped = false
    }

    /// After so many in a row that nobody could look into, the others wait too.
    private static let mostPostponed = 3

    private let engine: UploadEngine
    private let state = Mutex(State())

    init(engine: UploadEngine) { self.engine = engine }

    /// For a vault whose library is there. Keeps no hold of it.
    func start(_ vault: OpenVault) {
        state.withLock { state in
            state.vault = vault
            state.owner = vault.uid
        }
        wake()
    }

    /// There may be something to look into.
    func wake() {
        guard let making = engine.pictures else { return }
        state.withLock { state in
            state.calls += 1
            state.queue.forgetPostponed()
            guard !state.isStopped, state.vault != nil else { return }
            while state.tasks.count < making.workerCount {
                let number = state.nextTask
                state.nextTask += 1
                state.tasks[number] = Task(priority: .background) { [weak self] in
                    await self?.run(number, making.maker)
                }
            }
        }
    }

    /// Somebody is looking at these photos, which have no pictures yet; in the order in which they are seen.
    func wish(for serials: [UInt64]) {
        guard !serials.isEmpty else { return }
        state.withLock { $0.queue.wish(for: serials) }
        wake()
    }

    /// What a photo's row speaks of was not there, or did not open.
    func wishAgain(for serial: UInt64) {
        state.withLock { $0.queue.wishAgain(for: serial) }
        wake()
    }

    /// Happens when somebody has looked into the photo, or nobody will for now. Nil when nobody does.
    func event(for serial: UInt64) -> OneTimeEvent? {
        state.withLock { state in
            guard !state.isStopped, !state.tasks.isEmpty else { return nil }
            if let event = state.waiting[serial] { return event }
            let event = OneTimeEvent()
            state.waiting[serial] = event
            return event
        }
    }

    /// Returns when there is nothing to look into at the moment.
    func pause() async {
        for task in state.withLock({ $0.tasks.values }) { await task.value }
    }

    /// Its vault is gone: what it was reading is let go of at once, and with that the keys.
    func stop() {
        let (owner, tasks, sources, waiting) = state.withLock { state in
            state.isStopped = true
            defer { state.waiting = [:] }
            return (state.owner, state.tasks.values, state.sources.values, state.waiting.values)
        }
        for task in tasks { task.cancel() }
        for source in sources { source.letGo() }
        for event in waiting { event.happen() }
        engine.pictures?.maker.forget(owner)
    }

    // MARK: The loop

    private func run(_ number: Int, _ maker: any PictureMaker) async {
        var pacing = RereadPacing(
            quiet: engine.limits.quietBeforeReread ?? .zero, patience: engine.limits.patienceBeforeReread)
        while let calls = isWanted(number, since: nil) {
            var postponed = 0
            while postponed < Self.mostPostponed, let job = try? next() {
                let isDone = await look(job, maker, &pacing)
                postponed = isDone ? 0 : postponed + 1
            }
            if isWanted(number, since: calls) == nil { return }
        }
    }

    /// Nil, and the task is over, when it was stopped or nothing came since.
    private func isWanted(_ number: Int, since calls: Int?) -> Int? {
        let (answer, waiting) = state.withLock { state -> (Int?, [OneTimeEvent]) in
            if !state.isStopped, !Task.isCancelled, calls != state.calls { return (state.calls, []) }
            state.tasks[number] = nil
            guard state.tasks.isEmpty else { return (nil, []) }
            defer { state.waiting = [:] }
            return (nil, Array(state.waiting.values))
        }
        for event in waiting { event.happen() }
        return answer
    }

    private func vault() throws -> OpenVault {
        let vault = state.withLock { $0.isStopped ? nil : $0.vault }
        guard let vault, !vault.isReadOnly, !vault.hasMoved else { throw CancellationError() }
        return vault
    }

    private struct Job {
        let photo: LibraryPhoto
        let isWish: Bool
    }

    private func next() throws -> Job? {
        let vault = try vault()
        while let wish = state.withLock({ $0.queue.takeWish() }) {
            guard let photo = try vault.library.photoBlocking(serial: wish.serial) else { continue }
            guard photo.picture == nil || wish.isLost, begin(photo.serial) else { continue }
            return Job(photo: photo, isWish: true)
        }
        while true {
            let left = state.withLock { $0.queue.excluded }.union(vault.lostSerials)
            guard let photo = try vault.library.withoutPicture(except: left) else { return nil }
            if begin(photo.serial) { return Job(photo: photo, isWish: false) }
        }
    }

    /// False when another worker has it.
    private func begin(_ serial: UInt64) -> Bool {
        state.withLock { state in
            guard !state.queue.running.contains(serial) else { return false }
            state.queue.begin(serial)
            return true
        }
    }

    private func end(_ serial: UInt64, _ end: PictureQueue.End) {
        state.withLock { state in
            state.queue.end(serial, end)
            return state.waiting.removeValue(forKey: serial)
        }?.happen()
    }

    // MARK: One photo

    /// - Returns: false when nobody could look into it now.
    private func look(_ job: Job, _ maker: any PictureMaker, _ pacing: inout RereadPacing) async -> Bool {
        let photo = job.photo
        do {
            // Somebody who waits for a picture does not wait for uploads to pause.
            if !job.isWish { try await waitForTurn(&pacing) }
            try await make(photo, maker)
            end(photo.serial, .settled)
            return true
        } catch ImagingError.unavailable {
            end(photo.serial, .postponed)
            return false
        } catch ImagingError.stalled {
            // The next opening tries again: until then it must not keep the others waiting.
            end(photo.serial, .failed)
            return true
        } catch {
            return await give(up: photo, after: error)
        }
    }

    private func give(up photo: LibraryPhoto, after error: any Error) async -> Bool {
        switch VaultError(error) {
        case .damaged:
            // The re-read looks once more.
            if let vault = try? vault(), (try? await vault.noteDamaged(photo)) != nil { vault.verifier.wake() }
            end(photo.serial, .failed)
            return true
        case .noSuchPhoto:
            // Deleted, or sealed again meanwhile and then to be looked into as it is now.
            end(photo.serial, .postponed)
            return true
        default:
            // A disk that takes no writes, or a vault that is gone.
            end(photo.serial, .postponed)
            return false
        }
    }

    private func waitForTurn(_ pacing: inout RereadPacing) async throws {
        await engine.waitForTurn(&pacing)
        await engine.gate.waitUntilIdle()
        try Task.checkCancellation()
    }

    private func make(_ photo: LibraryPhoto, _ maker: any PictureMaker) async throws {
        let ids = try await previewIDs(of: photo)
        do {
            _ = try await engine.store.previews.making(ids) { try await lookAndKeep(photo, maker) }
            await reap()
        } catch {
            await reap()
            throw error
        }
    }

    /// - Returns: false when the photo was deleted in the meantime.
    private func lookAndKeep(_ photo: LibraryPhoto, _ maker: any PictureMaker) async throws -> Bool {
        // Only now, so that a deletion either is seen here or waits for what is put below.
        let source = try await source(of: photo)
        defer { letGo(of: source, photo.serial) }
        let type = MediaType.sniff(try await source.read(at: 0, count: MediaType.headByteCount))
        let findings = try await look(into: source, as: type, maker)
        return try await vault().keep(findings, of: photo, type)
    }

    /// A deletion that came in the meantime has waited.
    private func reap() async {
        // For a vault that is locked, too. What fails is done at the next deletion, day or start.
        await engine.finish { [store = engine.store] in _ = try? store.previews.reapDoomed() }
    }

    private func previewIDs(of photo: LibraryPhoto) async throws -> [PreviewID] {
        let vault = try vault()
        return try await engine.runIdly { try vault.previewIDs(of: photo) }
    }

    private func source(of photo: LibraryPhoto) async throws -> PhotoSource {
        let vault = try vault()
        let source = try await engine.runIdly { [engine] in
            PhotoSource(try vault.reader(of: photo), byteCount: photo.byteCount, engine: engine)
        }
        let isStopped = state.withLock { state in
            state.sources[photo.serial] = source
            return state.isStopped
        }
        if isStopped { source.letGo() }
        return source
    }

    private func letGo(of source: PhotoSource, _ serial: UInt64) {
        state.withLock { $0.sources[serial] = nil }
        source.letGo()
    }

    /// The vault itself is not held meanwhile.
    private func look(
        into source: PhotoSource, as type: MediaType, _ maker: any PictureMaker
    ) async throws -> PictureFindings {
        guard source.byteCount > 0 else { return .unreadable(.empty) }
        guard type != .other else { return .unreadable(.unknownFormat) }
        do {
            return .found(try await maker.look(into: source, as: type, of: state.withLock(\.owner)))
        } catch {
            switch error {
            case .unreadable(let reason): return .unreadable(reason)
            case .unavailable, .stalled: throw error
            case .source(let cause): throw cause
            }
        }
    }
}
