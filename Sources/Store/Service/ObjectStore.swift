import Bytes
internal import CLinux
import Glibc
import Synchronization
import Threads

/// The sealed objects as files: stage, open, reap. They are published by the ledger, together with the rows that
/// name them.
package final class ObjectStore: Sendable {
    private static let reapBatchCount = 1000
    /// Files that go side by side: on a disk that is told what is free (`discard`) each one waits for the device.
    private static let unlinkThreads = 16
    /// For fewer of them no threads are begun.
    private static let mostUnlinkedAlone = 64
    private let folders: ObjectFolders
    private let naming: ObjectNaming
    private let ledger: Ledger
    private let reserve: DiskReserve
    private let condition: StoreCondition
    /// Where objects lie besides, and some of them alone; nil where this disk is all there is.
    private let tier: ObjectTier?
    /// Nil where files stay for as long as their objects.
    private let cache: ObjectCache?
    /// What is larger is read from the bucket by ranges, and stays there: a video may be looked into in one place only.
    private static let mostFetchedByteCount: UInt64 = 16 << 20

    init(
        folders: ObjectFolders, naming: ObjectNaming, ledger: Ledger, reserve: DiskReserve, condition: StoreCondition,
        tier: ObjectTier? = nil, cache: ObjectCache? = nil
    ) {
        self.tier = tier
        self.cache = cache
        self.folders = folders
        self.naming = naming
        self.ledger = ledger
        self.reserve = reserve
        self.condition = condition
    }

    /// Whether to read one may be to wait for a network.
    package var mayLieInBucket: Bool { tier != nil }

    /// Begins an object; its file is made with the first bytes. Blocks only while the store is degraded. Throws
    /// `degraded`, and `superseded`: nothing that comes would ever be saved here.
    package func stage() throws -> StagedObject {
        guard !folders.isReadOnly else { throw StoreError.degraded }
        try ledger.log?.requireWriting()
        try condition.requireSound()
        return StagedObject(naming: naming, condition: condition)
    }

    /// Goes on with an object that an unfinished upload lists: whatever lies behind `byteCount` is cut off, and writing
    /// begins there. One writer at a time. Throws `objectMissing`, `objectUnreadable` when it is shorter, `degraded`.
    package func resume(_ id: ObjectID, at byteCount: UInt64) throws -> StagedObject {
        try ledger.log?.requireWriting()
        try condition.requireSound()
        do {
            naming.times.note(id)
            let file = try folders.shard(of: id).open(id.hex, O_RDWR)
            let present = try file.byteCount()
            guard present >= byteCount else { throw StoreError.objectUnreadable }
            if present > byteCount { try file.truncate(to: byteCount) }
            return StagedObject(file: file, condition: condition, listedByteCount: byteCount)
        } catch StoreError.ioFailed(_, ENOENT) {
            throw StoreError.objectMissing(id)
        } catch {
            condition.noteWriteFailure(error)
            throw error
        }
    }

    /// Throws `objectMissing` when there is no such file.
    package func open(_ id: ObjectID) throws -> ObjectFile {
        let shard = try folders.shard(of: id)
        cache?.noteUse(of: id)
        do {
            // Reading leaves no access time behind; only the file's owner may ask for that.
            return try ObjectFile(file: shard.open(id.hex, O_RDONLY | Int32(LINUX_O_NOATIME)))
        } catch .ioFailed(_, EPERM) {
            return try ObjectFile(file: shard.open(id.hex, O_RDONLY))
        } catch .ioFailed(_, ENOENT) {
            return try bring(id)
        } catch .ioFailed(_, EIO) {
            throw StoreError.objectUnreadable
        }
    }

    /// From the bucket: here once more, where it is no larger than photos are and there is room for it.
    private func bring(_ id: ObjectID) throws -> ObjectFile {
        guard let tier else { throw StoreError.objectMissing(id) }
        if !folders.isReadOnly, (try? reserve.requireRoom(for: Self.mostFetchedByteCount)) != nil {
            do {
                if let file = try tier.fetch(id, atMost: Self.mostFetchedByteCount) {
                    let brought = try ObjectFile(file: file)
                    cache?.noteAdded(brought.byteCount)
                    return brought
                }
            } catch StoreError.diskFull {}
        }
        guard let elsewhere = try tier.open(id) else { throw StoreError.objectMissing(id) }
        return elsewhere
    }

    /// Nil when there is no such file, and none in the bucket.
    package func byteCount(of id: ObjectID) throws -> UInt64? {
        try folders.shard(of: id).byteCount(of: id.hex) ?? tier?.byteCount(of: id)
    }

    /// Moves an object back that a row names and the start-up sweep had put aside; durable on return. False when it
    /// is not in quarantine.
    package func restoreFromQuarantine(_ id: ObjectID) throws -> Bool {
        let shard = try folders.shard(of: id)
        for day in try folders.quarantineDays() {
            let folder = try folders.quarantine.folder(String(day))
            guard try folder.byteCount(of: id.hex) != nil else { continue }
            naming.times.note(id)
            guard try folder.renameWithoutReplacing(id.hex, to: id.hex, in: shard) else { return false }
            try shard.synchronize()
            try folder.synchronize()
            return true
        }
        return false
    }

    /// Of objects that the ledger does not list any more; returns how many there were.
    func moveToQuarantine(_ ids: [ObjectID], day: UInt32) throws -> Int {
        var moved = 0
        for (_, ids) in Dictionary(grouping: ids, by: ObjectFolders.shardName) {
            guard let first = ids.first else { continue }
            let shard = try folders.shard(of: first)
            for id in ids where shard.contains(id.hex) {
                try folders.moveToQuarantine(id.hex, from: shard, day: day).synchronize()
                moved += 1
            }
            try shard.synchronize()
        }
        try folders.quarantine.synchronize()
        return moved
    }

    /// Unlinks what the ledger lists as doomed, then clears the list; returns how many files went. Call it after
    /// deletes, but never from within a change or a participant.
    package func reapDoomed() throws -> Int {
        var unlinked = 0
        guard !folders.isReadOnly else { return 0 }
        var pool: BlockingPool?
        while true {
            let batch = try ledger.readBlocking { try $0.doomedObjects(limit: Self.reapBatchCount) }
            if batch.isEmpty { break }
            if batch.count > Self.mostUnlinkedAlone, pool == nil {
                pool = BlockingPool(atMost: Self.unlinkThreads - 1, named: "unlink")
            }
            let gone = batch.filter { !$0.isLive }.map(\.id)
            unlinked += try unlink(gone, pool)
            // The entry of the log that says so stands, for it was before the commit.
            try tier?.remove(gone)
            try ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    for doomed in batch { try transaction.forgetDoomed(doomed.id) }
                })
        }
        // Whether there is room for it is another matter: health tells of that, and upkeep tries again.
        try? reserve.restoreIfPossible()
        return unlinked
    }

    /// Of those that a run that was cut off has left, the next moment hides the times, too.
    func noteChanges(since moment: timespec) throws { try naming.times.noteChanges(since: moment) }

    /// From now on nothing comes.
    func close() { naming.dropFiles() }

    /// What an unprivileged process may still write to the file system.
    package func freeByteCount() throws -> UInt64 {
        try reserve.freeByteCount()
    }

    /// The folders are synced before the list is cleared: a name that came back after a crash would otherwise stay
    /// in quarantine for a month.
    private func unlink(_ ids: [ObjectID], _ pool: BlockingPool?) throws -> Int {
        var unlinked = 0
        for (_, ids) in Dictionary(grouping: ids, by: ObjectFolders.shardName) {
            guard let first = ids.first else { continue }
            // For the sake of the folder, whose time tells of it.
            naming.times.note(first)
            let shard = try folders.shard(of: first)
            let unlink = { @Sendable (part: Range<Int>) in try ids[part].count { try shard.unlink($0.hex) } }
            let counts = try pool?.split(ids.count, into: Self.unlinkThreads, unlink) ?? [unlink(ids.indices)]
            unlinked += counts.reduce(0, +)
            do {
                try shard.synchronize()
            } catch {
                condition.noteWriteFailure(error)
                throw error
            }
        }
        return unlinked
    }
}

/// Files of objects that the bucket has, too, kept within a limit: what was used longest ago goes first. When that was is
/// known in memory alone, for on the disk it would tell; what this run has not used goes before all of it, by chance.
final class ObjectCache: Sendable {
    private struct State {
        /// By when they were last used, in opened objects.
        var uses: [ObjectID: UInt64] = [:]
        var openCount: UInt64 = 0
        /// Since files were last counted.
        var addedByteCount: UInt64 = .max
    }

    private struct File {
        let id: ObjectID
        let byteCount: UInt64
        let use: UInt64
    }

    private let limit: UInt64
    private let folders: ObjectFolders
    private let objects: ObjectTier
    private let state = Mutex(State())

    init(limit: UInt64, folders: ObjectFolders, objects: ObjectTier) {
        self.limit = limit
        self.folders = folders
        self.objects = objects
    }

    func noteUse(of id: ObjectID) {
        state.withLock { state in
            state.openCount += 1
            state.uses[id] = state.openCount
        }
    }

    func noteAdded(_ byteCount: UInt64) {
        state.withLock { state in
            let (sum, overflow) = state.addedByteCount.addingReportingOverflow(byteCount)
            state.addedByteCount = overflow ? .max : sum
        }
    }

    /// Whether so much has come that files have to be counted again.
    var isDue: Bool { state.withLock { $0.addedByteCount > limit / 16 } }

    /// Blocking. Removes files until a tenth of the limit is free, where it is reached.
    /// - Parameter requireWanted: throws when nobody wants it any more
    /// - Returns: how many went, and how many the bucket had lost, which were put again and stay.
    @discardableResult
    func trim(_ ledger: Ledger, requireWanted: () throws -> Void = {}) throws -> (removed: Int, mended: Int) {
        state.withLock { $0.addedByteCount = 0 }
        var files = try files(ledger)
        var total = files.reduce(0) { $0 + $1.byteCount }
        guard total > limit else { return (0, 0) }
        files.shuffle()
        files.sort { $0.use < $1.use }
        var outcome = (removed: 0, mended: 0)
        for file in files where total > limit / 10 * 9 {
            do {
                // Before the last one there is goes.
                guard try objects.isWholeThere(file.id, requireWanted: requireWanted) else {
                    let again = try objects.putAgain(file.id, isCutOff: { _ in true }, while: { true })
                    if again == .mended { outcome.mended += 1 }
                    continue
                }
            } catch StoreError.ioFailed(_, EIO) {
                continue
            }
            try folders.shard(of: file.id).unlink(file.id.hex)
            state.withLock { _ = $0.uses.removeValue(forKey: file.id) }
            total -= file.byteCount
            outcome.removed += 1
        }
        return outcome
    }

    /// Those that the ledger lists as photos; unfinished uploads are here alone.
    private func files(_ ledger: Ledger) throws -> [File] {
        let uses = state.withLock(\.uses)
        var files: [File] = []
        for number in UInt8.min...UInt8.max {
            let shard = try folders.objects.folder(Hexadecimal.encode([number]))
            let live = try ledger.readBlocking { try $0.liveObjects(inShard: number) }
            for name in try shard.names() {
                guard let id = ObjectID(hex: name), live.objects.contains(id),
                    let byteCount = try shard.byteCount(of: name)
                else { continue }
                files.append(File(id: id, byteCount: byteCount, use: uses[id] ?? 0))
            }
        }
        return files
    }
}
