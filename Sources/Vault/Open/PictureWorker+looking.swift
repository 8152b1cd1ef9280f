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
