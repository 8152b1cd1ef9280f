import Synchronization

/// How the log in the bucket stands, for health.
package enum LogStanding: Sendable, Equatable {
    case sound
    /// The bucket does not answer; nothing new is saved until it does. What it says, for people.
    case unreachable(String)
    /// Another host has taken over. This one never saves anything again.
    case superseded
}

/// The writer's side of the log of the ledger: one object in the bucket for each group of changes, each under the next
/// number and never in the place of another. Who finds another writer's seal there is none any more, whatever any clock
/// says.
///
/// Blocking. Entries are added on the ledger's writer thread alone.
package final class LedgerLog: Sendable {
    /// What nobody knew of an earlier attempt is known now: the entry has to be made again, under another number.
    struct Moved: Error {}

    private enum Attempt { case entry, seal }

    private struct State {
        /// Of the last entry that stands.
        var mark: LogMark
        /// What may stand under the next number, by its SHA-256: requests of which no answer came.
        var doubts: [String: Attempt] = [:]
        /// Entries that stand and are not in this host's ledger: what they changed is changed back by the next one.
        var undone: [RefusedEntry] = []
        var isSuperseded = false
        var trouble: String?
        /// Since the last snapshot.
        var entryCount = 0
        var byteCount: UInt64 = 0
    }

    private struct Waiting {
        var isAtBucket = false
        var watchers: [UInt64: @Sendable () -> Void] = [:]
        var count: UInt64 = 0
    }

    /// Given up sooner than what nobody waits for.
    let remote: any RemoteObjects
    /// Who writes here.
    private let writer: LogWriterID
    private let state: Mutex<State>
    private let committed = Mutex<(@Sendable () -> Void)?>(nil)
    private let waiting = Mutex(Waiting())

    /// - Parameters:
    ///   - mark: the epoch that this writer has just begun
    ///   - undone: entries of a run before whose changes failed
    init(_ remote: any RemoteObjects, mark: LogMark, undone: [RefusedEntry] = []) {
        self.remote = remote.urgent
        writer = mark.writer
        state = Mutex(State(mark: mark, undone: undone))
    }

    package var standing: LogStanding {
        state.withLock { state in
            if state.isSuperseded { return .superseded }
            return state.trouble.map { .unreachable($0) } ?? .sound
        }
    }

    /// Where the last entry stands.
    var mark: LogMark { state.withLock(\.mark) }

    /// What has come since the last snapshot.
    var sinceSnapshot: (entryCount: Int, byteCount: UInt64) { state.withLock { ($0.entryCount, $0.byteCount) } }

    /// Those that earlier runs have left behind the last snapshot.
    func noteEntries(_ count: Int) { state.withLock { $0.entryCount += count } }

    func noteSnapshot(entryCount: Int) {
        state.withLock { state in
            state.entryCount -= min(state.entryCount, entryCount)
            state.byteCount = 0
        }
    }

    // MARK: On the ledger's writer thread

    /// - Throws: `superseded`
    func requireWriting() throws(StoreError) {
        if state.withLock(\.isSuperseded) { throw .superseded }
    }

    /// Entries whose changes the next one has to take back.
    var undone: [RefusedEntry] { state.withLock(\.undone) }

    /// Whether nobody knows if an entry stands under the next number.
    var isInDoubt: Bool { state.withLock { $0.doubts.values.contains(.entry) } }

    /// Whether there is, or may be, an entry whose changes failed, and none behind it that takes them back.
    var isUnsettled: Bool { !undone.isEmpty || isInDoubt }

    /// Those, as far as they are known.
    var refused: [RefusedEntry] {
        state.withLock { state in
            let next = state.mark.position.next
            let doubtful = state.doubts.filter { $0.value == .entry }.keys.sorted()
            return state.undone + doubtful.map { RefusedEntry(position: next, digest: $0) }
        }
    }

    /// The beginning of the next entry.
    var nextHeader: LogEntryHeader {
        LogEntryHeader(kind: .changes, position: mark.position.next, writer: writer)
    }

    /// Returns once the entry stands, which takes back whatever was undone. That its transaction is durable is told by
    /// `didCommit`.
    /// - Parameter changesNothing: whether it says nothing but what was so before
    /// - Throws: `Moved`, `superseded`, `bucketUnreachable`: nobody knows then whether it stands.
    func append(_ body: LogEntryBody, changesNothing: Bool) throws {
        let digest = try put(body, as: .entry)
        state.withLock { state in
            state.mark.position = body.position
            // Until the ledger has it, too.
            state.undone = changesNothing ? [] : [RefusedEntry(position: body.position, digest: digest)]
            state.entryCount += 1
            state.byteCount += body.byteCount
        }
    }

    /// Looks whether somebody else's entry or seal stands under the next number: a host to which nothing comes would put
    /// none there, and never learn that another has taken over.
    /// - Throws: what the bucket says that cannot be reached
    func lookForSuccessor() throws {
        // What may be our own is told apart when the next entry is put.
        guard state.withLock({ !$0.isSuperseded && $0.doubts.isEmpty }) else { return }
        let next = LogNames.entry(mark.position.next)
        guard try atBucket({ try remote.look(at: next) }) != nil else { return }
        state.withLock { $0.isSuperseded = true }
    }

    /// Ends the epoch and begins the next one, of the same writer. Everything that stands must be in the ledger.
    /// - Throws: as `append`
    func seal() throws {
        _ = try put(try .seal(at: mark.position.next, by: writer), as: .seal)
        beginEpoch()
    }

    /// The ledger has everything up to the last entry.
    func didCommit() {
        state.withLock { $0.undone = [] }
        committed.withLock(\.self)?()
    }

    /// - Parameter body: called behind each commit, on the ledger's writer thread; it must not wait.
    func whenCommitted(_ body: @escaping @Sendable () -> Void) { committed.withLock { $0 = body } }

    /// - Returns: the digest of what stands now.
    private func put(_ body: LogEntryBody, as attempt: Attempt) throws -> String {
        try requireWriting()
        let digest = try body.digest()
        let answer: FirstPut
        do {
            answer = try atBucket {
                try remote.putFirst(
                    LogNames.entry(body.position), byteCount: body.byteCount, read: body.read(into:at:))
            }
        } catch {
            state.withLock { state in
                state.doubts[digest] = attempt
                state.trouble = String(describing: error)
            }
            throw StoreError.bucketUnreachable(String(describing: error))
        }
        switch answer {
        case .stands:
            state.withLock { state in
                state.doubts = [:]
                state.trouble = nil
            }
        case .taken(let found): try settle(found, at: body.position)
        }
        return digest
    }

    /// Another entry is there: one of ours, of which no answer came, or somebody else's.
    private func settle(_ found: String, at position: LogPosition) throws {
        let earlier = state.withLock { state in
            state.trouble = nil
            let earlier = state.doubts[found]
            if earlier == nil { state.isSuperseded = true }
            state.doubts = [:]
            return earlier
        }
        switch earlier {
        case nil: throw StoreError.superseded
        case .seal: beginEpoch()
        case .entry:
            state.withLock { state in
                state.mark.position = position
                state.undone.append(RefusedEntry(position: position, digest: found))
            }
        }
        throw Moved()
    }

    // MARK: While the bucket is waited for

    /// Runs what the ledger's writer asks the bucket, which answers or is given up after a time.
    func atBucket<R>(_ body: () throws -> R) rethrows -> R {
        let watchers = waiting.withLock { waiting in
            waiting.isAtBucket = true
            return waiting.watchers.values.map(\.self)
        }
        for watcher in watchers { watcher() }
        defer { waiting.withLock { $0.isAtBucket = false } }
        return try body()
    }

    /// - Parameter body: called once the ledger's writer waits for the bucket, also if it does already
    /// - Returns: what `forgetWatcher` takes
    func whenAtBucket(_ body: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, isAtBucket) = waiting.withLock { waiting in
            waiting.count += 1
            waiting.watchers[waiting.count] = body
            return (waiting.count, waiting.isAtBucket)
        }
        if isAtBucket { body() }
        return number
    }

    func forgetWatcher(_ number: UInt64) { waiting.withLock { $0.watchers[number] = nil } }

    private func beginEpoch() {
        let ended = state.withLock { state in
            let ended = state.mark.position
            state.mark.position = ended.nextEpoch
            return ended
        }
        // A help for readers, which they and the next snapshot can do without.
        _ = try? Self.markEnd(of: ended.epoch, at: ended.number + 1, in: remote)
    }

    /// - Returns: whether the mark is there.
    static func markEnd(of epoch: UInt64, at number: UInt64, in remote: any RemoteObjects) throws -> Bool {
        try remote.putFirst(LogNames.end(of: epoch), number.bigEndianBytes) == .stands
    }
}

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
