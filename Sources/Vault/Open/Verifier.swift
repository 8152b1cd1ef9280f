import Content
import Glibc
import NIOCore
import Records
import Store

/// Reads every photo of an open vault back from disk once, the newest first, when nobody uploads: only then its digests
/// are known, and only then it is said to be safe. Seals photos of too many runs anew, and settles duplicates that
/// show only now. Ends with the vault, and goes on at its next opening.
package final class Verifier: Sendable {
    private let work: IdleWork
    private var engine: UploadEngine { work.engine }

    init(engine: UploadEngine) { work = IdleWork(engine: engine) }

    /// For a vault whose library is there.
    func start(_ vault: OpenVault) {
        work.start(vault)
        wake()
    }

    /// There may be something to read.
    package func wake() {
        guard engine.limits.quietBeforeReread != nil else { return }
        work.wake { [weak self] in try await self?.readAll(&$0) }
    }

    func pause() async { await work.pause() }

    func stop() { work.stop() }

    private func readAll(_ pacing: inout RereadPacing) async throws {
        try? await work.vault().forgetExpiredBatches()
        while let photo = try await next() {
            if try await !examine(photo, &pacing) { work.skip([photo.serial]) }
        }
    }

    private func next() async throws -> LibraryPhoto? {
        let vault = try work.vault()
        return try await vault.library.unverified(except: work.skipped(in: vault))
    }

    /// Reads one photo back at once, giving way to whoever seals, for whom its source is deleted after that.
    /// - Returns: false when its bytes fail their verification, or it is gone.
    package func readBack(_ photo: LibraryPhoto) async throws -> Bool {
        var pacing = RereadPacing(quiet: .zero, patience: .zero)
        return try await examine(photo, &pacing)
    }

    /// Reads one that was read back before once more. Its row changes only where it fails.
    /// - Returns: false when its bytes fail their verification, or it is gone.
    package func isStillWhole(_ photo: LibraryPhoto) async throws -> Bool {
        var pacing = RereadPacing(quiet: .zero, patience: .zero)
        return try await noting(photo) {
            guard try await read(photo, &pacing).sha256 == photo.sha256 else { throw VaultError.damaged }
            return true
        }
    }

    // MARK: One photo

    /// What keeps a file, or its folder, from being opened, while the disk does what it is asked.
    private static let codesOfOneFile: Set<Int32> = [EACCES, EPERM, ELOOP, ENOTDIR, ENOENT]

    /// - Returns: false when its bytes fail their verification, or it is gone.
    private func examine(_ photo: LibraryPhoto, _ pacing: inout RereadPacing) async throws -> Bool {
        try await noting(photo) {
            if photo.runCount > RunBoundary.mostRunsOfPhoto, let isDone = try await resealIfRoom(photo, &pacing) {
                return isDone
            }
            let digests = try await read(photo, &pacing)
            return try await work.vault().noteVerified(photo, digests)
        }
    }

    /// What fails is named as damaged.
    private func noting(_ photo: LibraryPhoto, _ body: () async throws -> Bool) async throws -> Bool {
        do {
            return try await body()
        } catch StoreError.ioFailed(_, let code) where Self.codesOfOneFile.contains(code) {
            // It must not keep the others from being read.
            return false
        } catch {
            switch VaultError(error) {
            case .damaged: try await work.vault().noteDamaged(photo)
            // Nor must one that cannot be read for another reason.
            case .noSuchPhoto, .internalFailure: break
            default: throw error
            }
            return false
        }
    }

    /// The vault itself is held for no longer than a step.
    private func read(_ photo: LibraryPhoto, _ pacing: inout RereadPacing) async throws -> ContentDigests {
        try await engine.waitForTurn(&pacing)
        let reader = try await reader(of: photo)
        let reading = Rereading(reader, byteCount: photo.byteCount)
        defer { reader.forgetCached() }
        while true {
            try await engine.waitForTurn(&pacing)
            if let digests = try await engine.threads.runIdly({ try reading.step() }) { return digests }
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
        try await engine.waitForTurn(&pacing)
        let reader = try await reader(of: photo)
        let resealing = try await Resealing(reader, byteCount: photo.byteCount, engine: engine, .idle)
        do {
            while try await resealing.step() { try await engine.waitForTurn(&pacing) }
            let (run, lane) = (try await resealing.close(isWhole: true), resealing.lane)
            let vault = try work.vault()
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

    private func reader(of photo: LibraryPhoto) async throws -> ObjectReader {
        let vault = try work.vault()
        return try await engine.threads.runIdly {
            let reader = try vault.reader(of: photo)
            // What was written a moment ago would come from memory and prove nothing.
            reader.forgetCached()
            return reader
        }
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
