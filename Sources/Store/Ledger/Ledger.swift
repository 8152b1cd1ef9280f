import Dispatch
internal import GRDB
import Glibc
import Synchronization
import Threads

/// The one place where rows change: every change is durable and whole, or not there. Changes that are ready at the
/// same time share one transaction.
package final class Ledger: Sendable {
    private struct Queue {
        var pending: [PendingChange] = []
        var isDraining = false
        var isSettling = false
        var isClosed = false

        /// What has come while the last group was being written, up to a change that wants to be alone.
        mutating func takeGroup() -> [PendingChange] {
            let alone = pending.firstIndex { $0.change.runsAlone }
            let count = alone.map { max(1, $0) } ?? pending.count
            defer { pending.removeFirst(count) }
            return Array(pending.prefix(count))
        }
    }

    private let pool: DatabasePool
    private let copies: LedgerCopies
    private let naming: ObjectNaming
    private let reserve: DiskReserve
    private let condition: StoreCondition
    /// Nil where the ledger is alone.
    private let along: LogWriting?
    private let logMark: LedgerLogMark
    private let queue = Mutex(Queue())
    private let tally = LedgerTally()
    private let writer = DispatchQueue(label: "ledger writer")
    private let renewal = LastOutcome()
    private let cover = Mutex<(@Sendable ([LedgerChange]) -> [LedgerChange])?>(nil)

    init(
        pool: DatabasePool, copies: LedgerCopies, naming: ObjectNaming, reserve: DiskReserve,
        condition: StoreCondition, along: LogWriting? = nil, logMark: LedgerLogMark
    ) {
        self.along = along
        self.logMark = logMark
        self.pool = pool
        self.copies = copies
        self.naming = naming
        self.reserve = reserve
        self.condition = condition
    }

    // MARK: Changing

    /// Returns when the change is durable; throws when nothing of it was stored. Not cancellable once it waits.
    package func commit(_ change: LedgerChange) async throws {
        let change = try await sendingObject(of: change)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            enqueue(PendingChange(change: change) { continuation.resume(with: $0) })
        }
    }

    /// The same for a thread that may wait. Never from within a change or a participant: the writer would wait for
    /// itself.
    package func commitBlocking(_ change: LedgerChange) throws {
        dispatchPrecondition(condition: .notOnQueue(writer))
        let change = try sendingObjectBlocking(of: change)
        let finished = StartedWork<Void>()
        enqueue(PendingChange(change: change) { finished.fulfil($0) })
        try finished.waitForResult().get()
    }

    /// Returns when all changes are over that were on their way, and their participants know it. Throws `degraded`.
    package func settle() async throws {
        try await commit(LedgerChange(mayUseReserve: true) { _, _ in })
    }

    package var figures: LedgerFigures { tally.figures }

    /// Whether a group is being written, or about to be.
    package var isBusy: Bool { queue.withLock { $0.isDraining } }

    /// Changes that wait for the group being written to end.
    var pendingCount: Int { queue.withLock { $0.pending.count } }

    private func enqueue(_ change: PendingChange) {
        let (isClosed, mustDrain) = queue.withLock { queue in
            guard !queue.isClosed else { return (true, false) }
            queue.pending.append(change)
            defer { queue.isDraining = true }
            return (false, !queue.isDraining)
        }
        if isClosed { return change.complete(.failure(StoreError.failure("committing to a closed ledger", EBADF))) }
        if mustDrain { writer.async { self.drain() } }
    }

    private func drain() {
        while true {
            let group = queue.withLock { queue in
                queue.isDraining = !queue.pending.isEmpty
                return queue.takeGroup()
            }
            if group.isEmpty { return }
            var commit = GroupCommit(
                pool: pool, naming: naming, reserve: reserve, condition: condition, along: along, logMark: logMark)
            commit.run(group + covering(group), tally)
            if along?.log.isUnsettled == true { settleLater() }
        }
    }

    // MARK: Along with a bucket

    /// Nil where the ledger is alone.
    package var log: LedgerLog? { along?.log }

    /// Whether another host has taken over is known from here on, also where nothing is saved. Blocking; does nothing where
    /// the ledger is alone.
    /// - Throws: `bucketUnreachable`
    package func lookForSuccessor() throws {
        dispatchPrecondition(condition: .notOnQueue(writer))
        guard let along else { return }
        try writer.sync { try ObjectTier.reaching { try along.log.lookForSuccessor() } }
    }

    /// Seconds between attempts to take back what stands in the bucket of changes that failed: nothing tells when that
    /// answers again.
    private static let settling = (first: 1.0, longest: 60.0)

    /// Until the bucket says what became of changes that failed; a change that comes before does it as well.
    private func settleLater() {
        let isBegun = queue.withLock { queue in
            defer { queue.isSettling = true }
            return queue.isSettling
        }
        if !isBegun { settle(after: Self.settling.first) }
    }

    private func settle(after pause: Double) {
        writer.asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self, let along = self.along else { return }
            let isClosed = self.queue.withLock(\.isClosed)
            var isOver = isClosed || along.log.standing == .superseded || !along.log.isUnsettled
            if !isOver { isOver = (try? along.settle(self.pool)) != nil }
            guard !isOver else { return self.queue.withLock { $0.isSettling = false } }
            self.settle(after: min(2 * pause, Self.settling.longest))
        }
    }

    /// As `commitBlocking`, for whoever wants to know whether the ledger's writer moves: returns as well as soon as that
    /// waits for the bucket, which it gives up by itself.
    package func touch(_ change: LedgerChange) throws {
        guard let along else { return try commitBlocking(change) }
        let moved = StartedWork<Void>()
        enqueue(PendingChange(change: change) { moved.fulfil($0) })
        let watcher = along.log.whenAtBucket { moved.fulfil(.success(())) }
        defer { along.log.forgetWatcher(watcher) }
        try moved.waitForResult().get()
    }

    /// Before the change waits for its turn: others need not wait for a large object to leave the house.
    private func sendingObject(of change: LedgerChange) async throws -> LedgerChange {
        guard let along, change.object?.isWhole == true else { return change }
        return try await along.objects.run { try Self.sendingObject(of: change, along) }
    }

    private func sendingObjectBlocking(of change: LedgerChange) throws -> LedgerChange {
        guard let along, change.object?.isWhole == true else { return change }
        return try Self.sendingObject(of: change, along)
    }

    private static func sendingObject(of change: LedgerChange, _ along: LogWriting) throws -> LedgerChange {
        guard let object = change.object else { return change }
        try object.wait?()
        do {
            try along.log.requireWriting()
            try along.objects.send(object.staged.drawName())
        } catch {
            object.staged.discard()
            throw error
        }
        var change = change
        change.object = ArrivingObject(object.staged)
        return change
    }

    /// Puts an object that has its name already, and is whole, into the bucket before a change lists it; does nothing where
    /// there is none.
    package func send(_ id: ObjectID) async throws {
        guard let along else { return }
        try await along.objects.run { [self] in try sendBlocking(id) }
    }

    /// The same for a thread that may wait.
    package func sendBlocking(_ id: ObjectID) throws {
        guard let along else { return }
        try along.log.requireWriting()
        try along.objects.send(id)
    }

    /// All of it, as it is at one moment, into a file that is there and empty.
    func copy(to path: String) throws {
        try translatingLedgerErrors { try LedgerConnection.backUp(pool, to: path) }
    }

    /// Slots that are written behind the entry of the log that names them.
    func commitSlots(_ slots: [LogWriting.SlotWrite]) throws {
        var change = LedgerChange(mayUseReserve: true) { _, _ in }
        change.slots = slots
        try commitBlocking(change)
    }

    // MARK: Cover

    /// - Parameter cover: asked on the writer thread what joins a group of changes, so that a commit does not tell by
    ///   itself which rows belong together. Nobody waits for what it gives.
    package func setCover(_ cover: (@Sendable ([LedgerChange]) -> [LedgerChange])?) {
        self.cover.withLock { $0 = cover }
    }

    /// A change that wants to be alone stays so.
    private func covering(_ group: [PendingChange]) -> [PendingChange] {
        guard !group.contains(where: \.change.runsAlone), let cover = cover.withLock(\.self) else { return [] }
        return cover(group.map(\.change)).map { PendingChange(change: $0) { _ in } }
    }

    // MARK: Reading

    package func read<R: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> R) async throws -> R {
        do {
            return try await pool.read { try body(LedgerReader($0)) }
        } catch {
            throw StoreError.translating(error)
        }
    }

    package func readBlocking<R>(_ body: (LedgerReader) throws -> R) throws -> R {
        try translatingLedgerErrors { try pool.read { try body(LedgerReader($0)) } }
    }

    /// A row as the copies know it, newest copy first; for putting together what a damaged ledger lost.
    package func rowsInCopies(_ id: RowID, in home: RowHome = .vault) throws -> [[UInt8]] {
        try copies.rows(id, in: home)
    }

    // MARK: Keeping

    /// Moves the log into the ledger and empties it, so that deleted content does not linger there.
    /// Throws `ioFailed` with EBUSY while a long read is still going on; nothing is lost by that.
    package func checkpoint() throws {
        try translatingLedgerErrors { try pool.writeWithoutTransaction { try $0.checkpointIfOpen(.truncate) } }
        logMark.noteMerge()
    }

    /// Writes both copies again, from one moment. After an erase a deleted photo's key is gone only once this is over.
    ///
    /// The times of objects become those of this moment. Before the copies: what changed behind the last copies is what the
    /// next start looks for after a crash.
    package func renewCopies() throws {
        let times = Result { try naming.times.hide() }
        try renewal.noting { try copies.renew(from: pool, recording: commitBlocking, merged: logMark.noteMerge) }
        try times.get()
    }

    /// Why there is no fresh copy: the last attempt to make one failed, or no copy was whole when they were looked at.
    package var copiesFailure: (any Error)? { renewal.failure }

    /// Reads the copies, as a damaged ledger would need them.
    package func inspectCopies() {
        _ = try? renewal.noting {
            guard copies.newestGood() != nil else { throw StoreError.ledgerDamaged("none of its copies is whole") }
        }
    }

    /// Merges the log, as far as that goes.
    /// - Parameter keepingLog: whether it stays, as after an end that was none; else SQLite removes what was merged.
    func close(keepingLog: Bool = false) throws {
        queue.withLock { $0.isClosed = true }
        writer.sync {}
        pool.invalidateReadOnlyConnections()
        try translatingLedgerErrors {
            if !keepingLog { try pool.writeWithoutTransaction { try LedgerConnection.setKeepsLog(false, of: $0) } }
            try pool.close()
        }
    }

    /// Notes on the disk that the ledger is in use, once all else of an opening is done.
    func setLogMark() throws {
        try translatingLedgerErrors { try pool.writeWithoutTransaction { try logMark.set($0) } }
    }
}

/// What the ledger has done since it was opened, in totals.
package struct LedgerFigures: Sendable, Equatable {
    /// Transactions, each with one sync of the log.
    package var groupCount: UInt64 = 0
    package var changeCount: UInt64 = 0
    /// Of these, the ones of which nothing was stored.
    package var failedChangeCount: UInt64 = 0
    /// New objects that were published with changes.
    package var objectCount: UInt64 = 0

    package init() {}
}

/// Counts what the ledger does.
final class LedgerTally: Sendable {
    private let state = Mutex(LedgerFigures())

    var figures: LedgerFigures { state.withLock { $0 } }

    func note(changes: Int, failed: Int, objects: Int) {
        state.withLock { figures in
            figures.groupCount += 1
            figures.changeCount += UInt64(changes)
            figures.failedChangeCount += UInt64(failed)
            figures.objectCount += UInt64(objects)
        }
    }
}
