package import Store

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
