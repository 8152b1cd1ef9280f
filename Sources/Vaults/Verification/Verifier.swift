import NIOCore
import Store
import Synchronization

/// Reads every photo of an open vault back from disk once, the newest first, when nobody uploads: only then its digests
/// are known, and only then it is said to be safe. Seals photos of too many runs anew, and settles duplicates that
/// show only now. Ends with the vault, and goes on at its next opening.
final class Verifier: Sendable {
    private struct State {
        weak var vault: OpenVault?
        var task: Task<Void, Never>?
        /// Something came while the worker ran.
        var hasMore = false
        /// Photos that failed since the vault was opened; the next opening tries them again.
        var failed: Set<UInt64> = []
    }

    /// Runs of a photo that are left as they are.
    static let mostRuns = 256

    private let engine: UploadEngine
    private let state = Mutex(State())

    init(engine: UploadEngine) { self.engine = engine }

    /// For a vault whose library is there. Keeps no hold of it.
    func start(_ vault: OpenVault) {
        state.withLock { $0.vault = vault }
        wake()
    }

    /// There may be something to read.
    func wake() {
        guard engine.limits.quietBeforeReread != nil else { return }
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
        guard let quiet = engine.limits.quietBeforeReread else { return }
        var pacing = RereadPacing(quiet: quiet, patience: engine.limits.patienceBeforeReread)
        await forgetExpiredBatches()
        while isWanted() {
            do {
                while let photo = try await next() {
                    if try await !examine(photo, &pacing) { note(failed: photo.serial) }
                }
            } catch {
                // A disk that takes no writes, or a vault that is gone. What comes next wakes it again.
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

    private func vault() throws -> OpenVault {
        guard let vault = state.withLock({ $0.vault }), !vault.isReadOnly else { throw CancellationError() }
        return vault
    }

    private func note(failed serial: UInt64) { state.withLock { _ = $0.failed.insert(serial) } }

    private func next() async throws -> LibraryPhoto? {
        let vault = try vault()
        let left = state.withLock { $0.failed }.union(vault.lostSerials)
        return try await vault.library.unverified(except: left)
    }

    // MARK: One photo

    /// - Returns: false when its bytes fail their verification, or it is gone.
    private func examine(_ photo: LibraryPhoto, _ pacing: inout RereadPacing) async throws -> Bool {
        do {
            if photo.runCount > Self.mostRuns, let isDone = try await resealIfRoom(photo, &pacing) { return isDone }
            let digests = try await read(photo, &pacing)
            return try await vault().noteVerified(photo, digests)
        } catch {
            switch VaultError(error) {
            case .damaged: try await vault().noteDamaged(photo)
            // One that cannot be read for another reason must not keep the others from being read.
            case .noSuchPhoto, .internalFailure: break
            default: throw error
            }
            return false
        }
    }

    /// The vault itself is held for no longer than a step.
    private func read(_ photo: LibraryPhoto, _ pacing: inout RereadPacing) async throws -> ContentDigests {
        try await waitForTurn(&pacing)
        let reader = try await reader(of: photo)
        let reading = Rereading(reader, byteCount: photo.byteCount)
        defer { reader.forgetCached() }
        while true {
            try await waitForTurn(&pacing)
            if let digests = try await engine.runIdly({ try reading.step() }) { return digests }
        }
    }

    /// - Returns: nil where there is no room for both objects; it is read as it is then.
    private func resealIfRoom(_ photo: LibraryPhoto, _ pacing: inout RereadPacing) async throws -> Bool? {
        guard photo.verifiedAt == nil else { return try await reseal(photo, &pacing) }
        do {
            return try await reseal(photo, &pacing)
        } catch {
            guard VaultError(error) == .diskFull else { throw error }
            return nil
        }
    }

    /// The row changes from the old object to the new one, which is then read back like any other.
    private func reseal(_ photo: LibraryPhoto, _ pacing: inout RereadPacing) async throws -> Bool {
        try await waitForTurn(&pacing)
        let reader = try await reader(of: photo)
        let resealing = try await Resealing(reader, byteCount: photo.byteCount, engine: engine, .idle)
        do {
            while try await resealing.step() { try await waitForTurn(&pacing) }
            let (run, lane) = (try await resealing.close(isWhole: true), resealing.lane)
            let vault = try vault()
            try await vault.change(object: ArrivingObject(lane.staged)) { [fileKey = lane.fileKey] change in
                try change.replaceObject(of: photo, run: run, fileKey: fileKey)
            }
            await vault.reap()
            vault.pictures.wake()
            return true
        } catch {
            await resealing.discard()
            throw error
        }
    }

    private func waitForTurn(_ pacing: inout RereadPacing) async throws {
        await engine.waitForTurn(&pacing)
        await engine.gate.waitUntilIdle()
        try Task.checkCancellation()
    }

    private func reader(of photo: LibraryPhoto) async throws -> ObjectReader {
        let vault = try vault()
        return try await engine.runIdly {
            let reader = try vault.reader(of: photo)
            // What was written a moment ago would come from memory and prove nothing.
            reader.forgetCached()
            return reader
        }
    }

    private func forgetExpiredBatches() async {
        guard let vault = try? vault() else { return }
        try? await vault.forgetExpiredBatches()
    }
}

/// The reading of one photo from its first byte to its last.
///
/// `@unchecked Sendable`: its worker awaits each step before the next.
private final class Rereading: @unchecked Sendable {
    private let reader: ObjectReader
    private let byteCount: UInt64
    private var hasher: ContentHasher?
    private var offset: UInt64 = 0

    init(_ reader: ObjectReader, byteCount: UInt64) {
        self.reader = reader
        self.byteCount = byteCount
    }

    /// Blocking; a part of bounded size. Padding is verified with the last part.
    /// - Returns: the digests, at the end.
    func step() throws -> ContentDigests? {
        if hasher == nil { hasher = try ContentHasher(byteCount: byteCount) }
        let end = min(byteCount, offset + UInt64(ObjectReader.mostBytesPerRead))
        if offset < end {
            let part = try reader.read(offset..<end)
            try part.withUnsafeReadableBytes { try hasher?.update($0) }
            offset = end
        }
        guard offset == byteCount else { return nil }
        try reader.verifyEnd()
        return try hasher?.finalize()
    }
}
