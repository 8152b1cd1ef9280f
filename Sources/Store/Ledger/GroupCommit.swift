internal import GRDB
import Glibc

/// A change that waits for its turn, and whoever waits for it.
struct PendingChange: Sendable {
    var change: LedgerChange
    var complete: @Sendable (Result<Void, any Error>) -> Void
}

/// Carries out the changes that are ready, as one group: one transaction, one directory sync before its COMMIT, one sync
/// of the log.
struct GroupCommit {
    private struct Member {
        let change: LedgerChange
        /// Of its object.
        var id: ObjectID?
        /// Once the object lies under it, on disk.
        var name: UnlistedName?
        var failure: (any Error)?
        /// After a COMMIT that failed half-way, only the next start knows whether the object's row is there.
        var keepsFile = false
    }

    /// The whole transaction failed.
    private struct TransactionFailure: Error {
        let cause: any Error
        let isCommitUncertain: Bool
    }

    /// Objects did not come to lie on disk: the transaction is undone, and done again without their changes.
    private struct MissingObjects: Error {
        /// By the index of the member.
        var causes: [Int: any Error] = [:]
    }

    private let pool: DatabasePool
    private let naming: ObjectNaming
    private let reserve: DiskReserve
    private let condition: StoreCondition
    /// Nil where the ledger is alone.
    private let along: LogWriting?
    private let logMark: LedgerLogMark
    private var members: [Member] = []

    init(
        pool: DatabasePool, naming: ObjectNaming, reserve: DiskReserve, condition: StoreCondition, along: LogWriting?,
        logMark: LedgerLogMark
    ) {
        self.along = along
        self.logMark = logMark
        self.pool = pool
        self.naming = naming
        self.reserve = reserve
        self.condition = condition
    }

    /// Runs the group to its end, then tells everybody.
    mutating func run(_ pending: [PendingChange], _ tally: LedgerTally) {
        members = pending.map { Member(change: $0.change) }
        do {
            try requireSound()
            drawNames()
            attempt(members.indices.filter { members[$0].failure == nil })
            retryOnFullDisk()
        } catch {
            failAll(error)
        }
        dropFilesOfFailed()
        settleLog()
        // Whoever hears that the disk is full may drop what it wrote.
        for index in members.indices
        where members[index].keepsFile && (members[index].failure as? StoreError) == .diskFull {
            members[index].failure = StoreError.uncertainOnFullDisk
        }
        tally.note(
            changes: members.count, failed: members.count { $0.failure != nil },
            objects: members.count { $0.failure == nil && $0.name != nil })
        for (member, pending) in zip(members, pending) {
            pending.complete(member.failure.map { .failure($0) } ?? .success(()))
        }
    }

    /// The way back from a failed sync needs some room, too.
    private func requireSound() throws {
        do {
            try condition.requireSound()
        } catch StoreError.diskFull where members.contains(where: \.change.mayUseReserve) && reserve.isIntact {
            try reserve.release()
            try condition.requireSound()
        }
    }

    /// Before anybody is told that something failed: what stands of it in the bucket is taken back at once, or, where the
    /// bucket does not answer, noted here.
    private func settleLog() {
        guard let along, along.log.isUnsettled else { return }
        if along.log.isInDoubt || (try? along.settle(pool)) == nil { try? along.noteRefused(pool) }
    }

    // MARK: Objects

    /// One sync covers the names of a group, as a rule: those drawn since the group before lie in one folder.
    private mutating func drawNames() {
        let staged = members.indices.filter { members[$0].change.object != nil }
        guard !staged.isEmpty else { return }
        for index in staged {
            do {
                members[index].id = try members[index].change.object?.staged.drawName()
            } catch {
                members[index].failure = error
            }
        }
        naming.moveOn()
    }

    /// Waits for the objects of these changes and makes their names durable. Those that are there stay so when the
    /// transaction is done again.
    private mutating func publish(_ indices: [Int]) throws {
        var missing = MissingObjects()
        let unpublished = indices.filter { members[$0].change.object != nil && members[$0].name == nil }
        for index in unpublished {
            do {
                let object = members[index].change.object
                try object?.wait?()
                members[index].name = try object?.staged.takeForPublishing()
            } catch {
                missing.causes[index] = error
            }
        }
        do {
            try synchronizeShards(of: unpublished)
        } catch {
            condition.noteWriteFailure(error)
            for index in unpublished {
                missing.causes[index] = missing.causes[index] ?? error
                // Nothing may list a name that a power cut could take.
                members[index].name?.drop()
                members[index].name = nil
            }
        }
        guard missing.causes.isEmpty else { throw missing }
    }

    private func synchronizeShards(of indices: [Int]) throws(StoreError) {
        var synchronized: [Folder] = []
        for name in indices.compactMap({ members[$0].name }) where !synchronized.contains(where: { $0 === name.shard })
        {
            try name.shard.synchronize()
            synchronized.append(name.shard)
        }
    }

    private func dropFilesOfFailed() {
        for member in members where member.failure != nil && !member.keepsFile {
            if let along, let id = member.id { along.objects.abandon(id) }
            if let name = member.name {
                name.drop()
            } else if let object = member.change.object, object.wait == nil {
                // What the disk may still be at goes with whoever wrote it; nobody waits for that here.
                object.staged.discard()
            }
        }
    }

    // MARK: Transaction

    private mutating func attempt(_ attempted: [Int]) {
        guard !attempted.isEmpty else { return }
        do {
            try pool.writeWithoutTransaction { try transact(attempted, $0) }
            let committed = Self.participants(of: attempted.filter { members[$0].failure == nil }, members)
            for participant in committed.values { participant.didCommit() }
            for (id, participant) in Self.participants(of: attempted, members) where committed[id] == nil {
                participant.didRollBack()
            }
        } catch {
            for participant in Self.participants(of: attempted, members).values { participant.didRollBack() }
            if let missing = error as? MissingObjects {
                for (index, cause) in missing.causes { members[index].failure = cause }
                return attemptAgain(attempted.filter { missing.causes[$0] == nil })
            }
            let failure = error as? TransactionFailure
            let cause = StoreError.translating(failure?.cause ?? error)
            condition.noteWriteFailure(cause)
            for index in attempted {
                members[index].failure = cause
                if failure?.isCommitUncertain == true { members[index].keepsFile = true }
            }
        }
    }

    /// Behind an object that did not come, which may be the disk's fault.
    private mutating func attemptAgain(_ attempted: [Int]) {
        do {
            try condition.requireSound()
            attempt(attempted)
        } catch {
            for index in attempted { members[index].failure = error }
        }
    }

    private mutating func transact(_ attempted: [Int], _ database: Database) throws {
        try database.run("BEGIN IMMEDIATE")
        var hasReachedCommit = false
        do {
            let failures = LedgerTransaction.FailureRecord()
            let transaction = LedgerTransaction(database, failures: failures)
            for index in attempted {
                try apply(index, transaction, failures, database)
            }
            let succeeded = attempted.filter { members[$0].failure == nil }
            guard !succeeded.isEmpty else { return try database.rollback() }
            for participant in Self.participants(of: succeeded, members).values {
                try participant.willCommit(transaction)
                if let error = failures.error { throw error }
            }
            try publish(succeeded)
            let token = try logMark.drawToken(database)
            var hasEntry = false
            if let along {
                let slots = succeeded.flatMap { members[$0].change.slots }
                hasEntry = try along.write(
                    database, slots, beginsEpoch: succeeded.contains { members[$0].change.beginsEpoch })
            }
            hasReachedCommit = true
            try database.run("COMMIT")
            logMark.note(token)
            if hasEntry { along?.log.didCommit() }
        } catch {
            if database.isInsideTransaction { try? database.rollback() }
            for index in attempted { members[index].failure = nil }
            if error is MissingObjects { throw error }
            // What stands in the bucket comes back with the next start, unless an entry behind it takes it back.
            let mayStand = along.map { !$0.log.undone.isEmpty || $0.log.isInDoubt } ?? false
            throw TransactionFailure(
                cause: error,
                isCommitUncertain: mayStand || hasReachedCommit && Self.leavesCommitUncertain(error))
        }
    }

    /// Only a log that could not grow holds nothing of the group for sure. Where its index could not, the log may hold
    /// all of it, synced, and the next start believes the log.
    static func leavesCommitUncertain(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.resultCode != .SQLITE_FULL
    }

    /// Each change in its own savepoint. Throws only when SQLite itself failed, which ends the transaction for all.
    private mutating func apply(
        _ index: Int, _ transaction: LedgerTransaction, _ failures: LedgerTransaction.FailureRecord,
        _ database: Database
    ) throws {
        try database.run("SAVEPOINT change")
        do {
            try members[index].change.apply(transaction, members[index].id)
        } catch {
            members[index].failure = error
        }
        if let error = failures.error { throw error }
        if members[index].failure != nil { try database.run("ROLLBACK TO SAVEPOINT change") }
        try database.run("RELEASE SAVEPOINT change")
    }

    private static func participants(
        of indices: [Int], _ members: [Member]
    ) -> [ObjectIdentifier: any LedgerParticipant] {
        var distinct: [ObjectIdentifier: any LedgerParticipant] = [:]
        for index in indices {
            for participant in members[index].change.participants {
                distinct[ObjectIdentifier(participant)] = participant
            }
        }
        return distinct
    }

    // MARK: Full disk

    /// A delete must succeed on a full disk, or it could never become emptier.
    private mutating func retryOnFullDisk() {
        let retried = members.indices.filter {
            members[$0].change.mayUseReserve && (members[$0].failure as? StoreError) == .diskFull
        }
        guard !retried.isEmpty, makeRoom() else { return }
        for index in retried { members[index].failure = nil }
        attempt(retried)
    }

    private func makeRoom() -> Bool {
        if reserve.isIntact { return (try? reserve.release()) != nil }
        // The reserve is spent already. The log's own blocks can be written anew once the ledger has what stands in it.
        return (try? pool.writeWithoutTransaction { try $0.checkpointIfOpen(.restart) }) != nil
    }

    private mutating func failAll(_ error: any Error) {
        for index in members.indices where members[index].failure == nil { members[index].failure = error }
    }
}
