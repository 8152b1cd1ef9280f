/// Entries of the log as a list names them, which may be behind, and may name what is gone.
struct LogList {
    private(set) var entries: [LogPosition] = []
    /// The last one of whose end there is a mark; 0 for none.
    private(set) var endedEpoch: UInt64 = 0

    init(_ remote: any RemoteObjects) throws {
        try remote.list(LogNames.log) { name, _ in
            let parts = name.split(separator: "/")
            guard parts.count == 3, let epoch = LogNames.number(parts[1]) else { return }
            if let number = LogNames.number(parts[2]) {
                entries.append(LogPosition(epoch: epoch, number: number))
            } else {
                endedEpoch = max(endedEpoch, epoch)
            }
        }
    }

    /// About where the log ends.
    func next(behind known: LogPosition) -> LogPosition {
        let last = max(known, entries.max() ?? known)
        return endedEpoch >= last.epoch ? LogPosition(epoch: endedEpoch + 1, number: 1) : last.next
    }
}

/// Tells the log's end from an entry that is gone from its middle: a store lost it, or somebody's tool or a rule of expiry
/// removed it. Who took the one for the other would seal there, and lose whatever was acknowledged behind it.
struct LogHole {
    enum Meaning: Equatable {
        /// Nothing proves that the log goes on behind it.
        case end
        /// The entry is there by now, or its epoch has ended: who follows the log learns it.
        case more
        case hole
    }

    let remote: any RemoteObjects

    /// A later entry was put only once all before it stood, and none of those goes before its epoch's end is marked. So
    /// the order of the questions is what proves it: the later entry, the missing one, the mark. Whoever writes, takes
    /// over or removes what a snapshot replaces meanwhile is never taken for a hole.
    /// - Parameter list: from before the log was followed to the mark
    func look(behind mark: LogMark, _ list: LogList) throws -> Meaning {
        let missing = mark.position.next
        guard try list.entries.contains(where: { try $0 > missing && proves($0, missing) }) else { return .end }
        guard case .missing = try entry(at: missing),
            try remote.readWhole(LogNames.end(of: missing.epoch), atMost: 64) == nil
        else { return .more }
        return .hole
    }

    /// Seals are put ahead of an epoch's end by whoever takes over: in it, one of them proves nothing. In a later epoch
    /// there is nothing before the seal of this one.
    private func proves(_ later: LogPosition, _ missing: LogPosition) throws -> Bool {
        guard case .readable(let header) = try entry(at: later) else { return false }
        return later.epoch > missing.epoch || header.kind == .changes
    }

    enum Found {
        case missing
        /// None of the log's, as far as anybody knows.
        case unreadable
        case readable(LogEntryHeader)
    }

    /// Asked for again where it is not there: whatever hangs on the answer.
    func entry(at position: LogPosition) throws -> Found {
        try remote.askingAgain { remote in
            do {
                return try LogEntryReader.open(position, in: remote).map { .readable($0.header) } ?? .missing
            } catch StoreError.ledgerDamaged {
                return .unreadable
            }
        } until: { (found: Found) in
            if case .readable = found { true } else { false }
        }
    }

    static func found(at position: LogPosition) -> StoreError {
        .unusable(
            "The log in the bucket has a hole: \(LogNames.entry(position)) is missing, and there are later entries. What was "
                + "saved from there on is not known here. Nothing was changed in the bucket. Start the host that wrote there "
                + "last, whose disk has all of it, and leave it running for a day, until a new snapshot is in the bucket; or "
                + "bring the object back, if the store keeps removed ones. Where both are gone for good, safelight "
                + "take-over --without-lost goes on without what was saved from there on.")
    }
}
