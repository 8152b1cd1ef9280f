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
        var undone: [LogPosition] = []
        var isSuperseded = false
        var trouble: String?
        /// Since the last snapshot.
        var entryCount = 0
        var byteCount: UInt64 = 0
    }

    let remote: any RemoteObjects
    /// Who writes here.
    private let writer: LogWriterID
    private let state: Mutex<State>
    private let committed = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameter mark: the epoch that this writer has just begun
    init(_ remote: any RemoteObjects, mark: LogMark) {
        self.remote = remote
        writer = mark.writer
        state = Mutex(State(mark: mark))
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
    var undone: [LogPosition] { state.withLock(\.undone) }

    /// Whether nobody knows what stands under the next number.
    var isInDoubt: Bool { state.withLock { !$0.doubts.isEmpty } }

    /// The beginning of the next entry.
    var nextHeader: LogEntryHeader {
        LogEntryHeader(kind: .changes, position: mark.position.next, writer: writer)
    }

    /// Returns once the entry stands. What comes of the transaction is told by `didCommit` or `didNotCommit`.
    /// - Throws: `Moved`, `superseded`, `bucketUnreachable`: nobody knows then whether it stands.
    func append(_ body: LogEntryBody) throws {
        try put(body, as: .entry)
        state.withLock { state in
            state.mark.position = body.position
            // Until the ledger has it, too.
            state.undone.append(body.position)
            state.entryCount += 1
            state.byteCount += body.byteCount
        }
    }

    /// Ends the epoch and begins the next one, of the same writer. Everything that stands must be in the ledger.
    /// - Throws: as `append`
    func seal() throws {
        try put(try .seal(at: mark.position.next, by: writer), as: .seal)
        beginEpoch()
    }

    /// The ledger has everything up to the last entry.
    func didCommit() {
        state.withLock { $0.undone = [] }
        committed.withLock(\.self)?()
    }

    /// - Parameter body: called behind each commit, on the ledger's writer thread; it must not wait.
    func whenCommitted(_ body: @escaping @Sendable () -> Void) { committed.withLock { $0 = body } }

    private func put(_ body: LogEntryBody, as attempt: Attempt) throws {
        try requireWriting()
        let digest = try body.digest()
        let answer: FirstPut
        do {
            answer = try remote.putFirst(
                LogNames.entry(body.position), byteCount: body.byteCount, read: body.read(into:at:))
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
                state.undone.append(position)
            }
        }
        throw Moved()
    }

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
