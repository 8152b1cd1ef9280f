import Content
import Imaging
import ImagingProtocol
import Media
import Records
package import Store
import Synchronization
package import Threads

/// Two photos, from their contents to whether the one is a copy of the other.
extension PictureWorker {
    /// Begins to compare those of these pairs that were not compared since the vault was opened.
    package func compare(_ pairs: [PhotoPair]) {
        guard !pairs.isEmpty else { return }
        state.withLock { $0.comparisons.want(pairs) }
        startTasks()
    }

    /// Whether the one is no more than a copy of the other; nil until both were compared, and false where nobody can.
    package func isCopy(_ pair: PhotoPair) -> Bool? {
        guard engine.pictures != nil else { return false }
        return state.withLock { $0.isStopped ? false : $0.comparisons.isCopy(pair) }
    }

    /// Happens when nothing is left to be compared. Nil when nothing is.
    package func whenCompared() -> OneTimeEvent? {
        state.withLock { state in
            guard !state.isStopped, state.isComparing else { return nil }
            let event = state.compared ?? OneTimeEvent()
            state.compared = event
            return event
        }
    }

    /// One after the other: beside them there are pictures that somebody looks at.
    func compareWanted(_ number: Int, _ maker: any PictureMaker) async {
        while !Task.isCancelled, let pair = pairOrLeave(number) {
            let end = await compare(pair, maker)
            state.withLock { $0.comparisons.end(pair, end) }
        }
        leave(number)
    }

    private func compare(_ pair: PhotoPair, _ maker: any PictureMaker) async -> ComparisonQueue.End {
        do {
            guard let best = try await photo(pair.best), let copy = try await photo(pair.copy) else { return .failed }
            // What makes a picture brighter on some screens is no part of its pixels.
            guard !PhotoDetails(copy).facts.hasGainMap || PhotoDetails(best).facts.hasGainMap else {
                return .isCopy(false)
            }
            let first = try await openSource(of: best, isAwaited: true)
            defer { letGo(of: first) }
            let second = try await openSource(of: copy, isAwaited: true)
            defer { letGo(of: second) }
            return .isCopy(try await difference(of: second, from: first, maker).isCopy)
        } catch ImagingError.displaced {
            return .displaced
        } catch {
            return .failed
        }
    }

    /// Nil where it is another one by now.
    private func photo(_ member: PhotoPair.Member) async throws -> LibraryPhoto? {
        let vault = state.withLock { $0.isStopped ? nil : $0.vault }
        guard let photo = try await vault?.library.photo(serial: member.serial) else { return nil }
        return photo.object == member.object ? photo : nil
    }

    /// The vault itself is not held meanwhile.
    private func difference(
        of copy: PhotoSource, from best: PhotoSource, _ maker: any PictureMaker
    ) async throws -> PictureDifference {
        let (owner, requester) = state.withLock { ($0.owner, $0.requester) }
        let types = (
            MediaType.sniff(try await best.read(at: 0, count: MediaType.headByteCount)),
            MediaType.sniff(try await copy.read(at: 0, count: MediaType.headByteCount))
        )
        guard types.0.isPicture, types.1.isPicture else { return .most }
        return try await maker.compare((copy, types.1), with: (best, types.0), of: owner, for: requester)
    }
}

/// A photo that may be no more than a copy of another one: both as they are now, for what is under a serial may change.
package struct PhotoPair: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package let serial: UInt64
        package let object: ObjectID

        package init(serial: UInt64, object: ObjectID) { (self.serial, self.object) = (serial, object) }
    }

    package let best: Member
    package let copy: Member

    package init(best: Member, copy: Member) {
        self.best = best
        self.copy = copy
    }

    package init(best: LibraryPhoto, copy: LibraryPhoto) {
        self.init(
            best: Member(serial: best.serial, object: best.object),
            copy: Member(serial: copy.serial, object: copy.object))
    }
}

/// Which pairs of photos are compared next, and what came of those that were: each once while the vault is open. Decides
/// only.
package struct ComparisonQueue: Sendable {
    private var wanted: [PhotoPair] = []
    private var running: Set<PhotoPair> = []
    private var verdicts: [PhotoPair: Bool] = [:]
    /// Pairs that nobody could compare: no copies, until something new comes.
    private var failed: Set<PhotoPair> = []

    /// What came of one.
    enum End: Sendable {
        case isCopy(Bool)
        case failed
        /// It gave way to another picture.
        case displaced
    }

    /// Those are next of which nobody knows anything yet.
    mutating func want(_ pairs: [PhotoPair]) {
        let new = Set(pairs)
        wanted = pairs.filter { isCopy($0) == nil && !running.contains($0) } + wanted.filter { !new.contains($0) }
    }

    /// Nil where that is still to be found out.
    func isCopy(_ pair: PhotoPair) -> Bool? { verdicts[pair] ?? (failed.contains(pair) ? false : nil) }

    var hasWanted: Bool { !wanted.isEmpty }

    /// Begun; nil when there is none.
    mutating func next() -> PhotoPair? {
        guard !wanted.isEmpty else { return nil }
        let pair = wanted.removeFirst()
        running.insert(pair)
        return pair
    }

    mutating func end(_ pair: PhotoPair, _ end: End) {
        running.remove(pair)
        switch end {
        case .isCopy(let isCopy): verdicts[pair] = isCopy
        case .failed: failed.insert(pair)
        case .displaced: wanted.append(pair)
        }
    }

    mutating func forgetFailed() { failed = [] }
}
