import Content
import Imaging
import ImagingProtocol
import Media
import Records
import Store
import Synchronization

/// One photo, from its content to the pictures that are kept.
extension PictureWorker {
    /// - Returns: false when nobody could look into it now.
    func look(_ photo: LibraryPhoto, _ maker: any PictureMaker, isAwaited: Bool) async -> Bool {
        do {
            if isAwaited {
                try await make(photo, maker, isAwaited: true)
            } else {
                try await makePatiently(photo, maker)
            }
            end(photo.serial, .settled)
            return true
        } catch ImagingError.unavailable {
            end(photo.serial, .postponed)
            return false
        } catch ImagingError.stalled {
            // The next opening tries again: until then it must not keep the others waiting.
            end(photo.serial, .failed)
            return true
        } catch ImagingError.displaced {
            end(photo.serial, .displaced)
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

    /// Until somebody asks for it: then it is `displaced`.
    private func makePatiently(_ photo: LibraryPhoto, _ maker: any PictureMaker) async throws {
        let work = Task(priority: .background) { try await make(photo, maker, isAwaited: false) }
        state.withLock { $0.patientLooks[photo.serial] = work }
        defer { state.withLock { $0.patientLooks[photo.serial] = nil } }
        do {
            try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                work.cancel()
            }
        } catch  where work.isCancelled && !Task.isCancelled {
            throw ImagingError.displaced
        }
    }

    private func make(_ photo: LibraryPhoto, _ maker: any PictureMaker, isAwaited: Bool) async throws {
        let ids = try await previewIDs(of: photo, isAwaited: isAwaited)
        try await engine.store.previews.making(ids) {
            try await lookAndKeep(photo, maker, isAwaited: isAwaited)
        } afterDeletion: {
            // For a vault that is locked, too. What fails is done at the next deletion, day or start.
            await engine.threads.finish { [store = engine.store] in _ = try? store.previews.reapDoomed() }
        }
    }

    private func previewIDs(of photo: LibraryPhoto, isAwaited: Bool) async throws -> [PreviewID] {
        let vault = try vault()
        return try await engine.threads.run(isAwaited: isAwaited) { try vault.previewIDs(of: photo) }
    }

    private func lookAndKeep(_ photo: LibraryPhoto, _ maker: any PictureMaker, isAwaited: Bool) async throws {
        // Only now, so that a deletion either is seen here or waits for what is put below.
        let source = try await source(of: photo, isAwaited: isAwaited)
        defer { letGo(of: source) }
        let type = MediaType.sniff(try await source.read(at: 0, count: MediaType.headByteCount))
        let findings = try await look(into: source, as: type, maker, isAwaited: isAwaited)
        if case .found(let examination) = findings, type.isVideo {
            state.withLock { $0.playsVideos = !examination.isWithoutPlayer }
            // It stands there already.
            guard !examination.isWithoutPlayer || photo.picture?.isWithoutPlayer != true else { return }
        }
        try await vault().keep(findings, of: photo, type, isAwaited: isAwaited)
    }

    private func source(of photo: LibraryPhoto, isAwaited: Bool) async throws -> PhotoSource {
        let vault = try vault()
        try await engine.threads.readObject(isAwaited: isAwaited) { try vault.store.previews.requireRoom() }
        return try await openSource(of: photo, isAwaited: isAwaited)
    }

    /// Until it is let go of, or the vault is gone.
    func openSource(of photo: LibraryPhoto, isAwaited: Bool) async throws -> PhotoSource {
        guard let vault = state.withLock({ $0.isStopped ? nil : $0.vault }) else { throw CancellationError() }
        let source = try await engine.threads.readObject(isAwaited: isAwaited) { [engine] in
            PhotoSource(
                try vault.reader(of: photo), byteCount: photo.byteCount, threads: engine.threads, isAwaited: isAwaited)
        }
        let isStopped = state.withLock { state in
            state.sources[ObjectIdentifier(source)] = source
            return state.isStopped
        }
        if isStopped { source.letGo() }
        return source
    }

    func letGo(of source: PhotoSource) {
        state.withLock { $0.sources[ObjectIdentifier(source)] = nil }
        source.letGo()
    }

    /// The vault itself is not held meanwhile.
    private func look(
        into source: PhotoSource, as type: MediaType, _ maker: any PictureMaker, isAwaited: Bool
    ) async throws -> PictureFindings {
        guard source.byteCount > 0 else { return .unreadable(.empty) }
        guard type != .other else { return .unreadable(.unknownFormat) }
        do {
            let (owner, requester) = state.withLock { ($0.owner, $0.requester) }
            return .found(
                try await maker.look(into: source, as: type, of: owner, for: requester, isAwaited: isAwaited))
        } catch {
            switch error {
            case .unreadable(let reason): return .unreadable(reason)
            case .unavailable, .stalled, .displaced: throw error
            case .source(let cause): throw cause
            }
        }
    }
}

/// Which photo is looked into next: those somebody is looking at before all others. Decides only.
package struct PictureQueue: Sendable {
    /// Wishes that are remembered; older ones give way.
    static let mostWishes = 1024

    /// The last one asked for first, from the end.
    private var wishes: [UInt64] = []
    /// Photos whose pictures have to be made again, though their rows say that they are there.
    private var lost: Set<UInt64> = []
    private(set) var running: Set<UInt64> = []
    /// Wishes among them, and whether they are of lost ones; they are wishes again when they are displaced.
    private var begunWishes: [UInt64: Bool] = [:]
    /// Photos that failed for a reason that may pass; the next opening tries them again.
    private(set) var failed: Set<UInt64> = []
    /// Photos that nobody could look into; tried again when something new comes.
    private var postponed: Set<UInt64> = []

    /// - Parameter serials: as they are seen on the page, the first one first.
    mutating func wish(for serials: [UInt64]) {
        let new = Set(serials)
        wishes.removeAll { new.contains($0) }
        wishes = Array((wishes + serials.reversed()).suffix(Self.mostWishes))
        lost.formIntersection(wishes)
    }

    /// The picture that a row speaks of is not there.
    mutating func wishAgain(for serial: UInt64) {
        lost.insert(serial)
        wish(for: [serial])
    }

    /// Whether there is a wish that nobody is fulfilling.
    var hasWish: Bool { wishes.contains { !excluded.contains($0) } }

    /// The next wish that may be fulfilled, begun. One that somebody looks into unasked stays, in case that is given up.
    mutating func beginWish() -> (serial: UInt64, isLost: Bool)? {
        wishes.removeAll { failed.contains($0) || postponed.contains($0) }
        guard let index = wishes.lastIndex(where: { !running.contains($0) }) else { return nil }
        let serial = wishes.remove(at: index)
        running.insert(serial)
        let isLost = lost.remove(serial) != nil
        begunWishes[serial] = isLost
        return (serial, isLost)
    }

    /// Serials that nobody has to be asked for.
    var excluded: Set<UInt64> { running.union(failed).union(postponed) }

    mutating func forgetPostponed() { postponed = [] }

    /// False when somebody has it already.
    mutating func begin(_ serial: UInt64) -> Bool { running.insert(serial).inserted }

    mutating func end(_ serial: UInt64, _ end: End) {
        running.remove(serial)
        let wish = begunWishes.removeValue(forKey: serial)
        switch end {
        case .settled: wishes.removeAll { $0 == serial }
        case .displaced:
            guard let isLost = wish else { break }
            wishes.append(serial)
            if isLost { lost.insert(serial) }
        case .postponed: postponed.insert(serial)
        case .failed: failed.insert(serial)
        }
    }

    /// What came of one.
    package enum End: Sendable {
        case settled, postponed, failed
        /// It gave way to another one.
        case displaced
    }
}
