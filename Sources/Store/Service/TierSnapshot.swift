import Bytes
internal import GRDB
import Glibc

/// A whole ledger in the bucket, with header and slots, as they are somewhat behind the beginning of an epoch: who begins
/// with it needs no entry of an earlier one. Changes may go on meanwhile, since entries say what rows are, not what is
/// done to them.
struct TierSnapshot {
    enum Name {
        static let ledger = "ledger"
        static let slots = "slots"
        static let header = "store.header"
        /// Put last: digests of the others. Without it there is no snapshot.
        static let complete = "complete"
        static let all = [ledger, slots, header]
    }

    /// Slots go in pieces that are called by their digests, since few of them change.
    static let slotBlockByteCount = 256 << 10

    let remote: any RemoteObjects
    let root: Folder
    let rootPath: String
    let slots: SlotTable
    let header: HostHeader
    /// Throws when nobody wants it any more.
    let requireWanted: @Sendable () throws -> Void

    /// Blocking.
    /// - Parameter copyLedger: writes the ledger into a file of that path, which is there and empty.
    func take(_ epoch: UInt64, copyLedger: (_ path: String) throws -> Void) throws {
        try ObjectTier.reaching {
            let folder = LogNames.snapshot(epoch)
            var list: [UInt8] = []
            for (name, digest) in [
                // Slots after the ledger: an entry behind the ledger's place may name them once more, none before it.
                (Name.ledger, try putLedger(folder + Name.ledger, copyLedger)),
                (Name.slots, try putSlots(folder + Name.slots)),
                (Name.header, try remote.put(folder + Name.header, HeaderFile.bytes(of: header))),
            ] {
                // What it takes the place of goes.
                try remote.requireBack(folder + name, digest)
                guard let digest = FileDigest(hex: digest.utf8) else { throw StoreError.objectUnreadable }
                list += DigestLines.line(digest, name)
            }
            try remote.put(folder + Name.complete, list)
        }
    }

    private func putLedger(_ name: String, _ copyLedger: (String) throws -> Void) throws -> String {
        let copy = StoreLayout.newSnapshot
        try Self.removeCopy(in: root)
        defer { try? Self.removeCopy(in: root) }
        // Made here, because SQLite would make it readable for others.
        let file = try root.open(copy, O_RDWR | O_CREAT | O_EXCL)
        let path = rootPath + "/" + copy
        try copyLedger(path)
        try Self.leaveOutWhatIsLocal(path)
        return try remote.put(name, byteCount: file.byteCount(), isOnce: false) { [requireWanted] buffer, offset in
            try requireWanted()
            return try file.read(into: buffer, at: offset)
        }
    }

    /// Also what a crash has left of it.
    static func removeCopy(in root: Folder) throws {
        if let file = try root.openIfPresent(StoreLayout.newSnapshot, O_WRONLY) {
            overwriteWithZeros(file.descriptor, from: 0)
        }
        for suffix in ["", "-journal"] { try root.unlink(StoreLayout.newSnapshot + suffix) }
    }

    /// How far unfinished uploads are, and what else is of this host.
    /// - Parameters:
    ///   - path: of a ledger that nobody else has
    ///   - more: is done to it then
    static func leaveOutWhatIsLocal(_ path: String, _ more: (Database) throws -> Void = { _ in }) throws {
        try translatingLedgerErrors {
            let copy = try DatabaseQueue(path: path)
            try copy.writeWithoutTransaction { database in
                try database.execute(
                    sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON")
                // After the journal, which it would not let go of.
                try WrittenSchema.distrust(database.sqliteConnection)
                try database.execute(sql: "DELETE FROM upload")
                for key in ChangedRows.localMeta where key != LedgerSchema.MetaKey.logPosition {
                    try database.run("DELETE FROM meta WHERE key = ?", [.text(key)])
                }
                try more(database)
            }
            try copy.close()
        }
    }

    private func putSlots(_ name: String) throws -> String {
        var known: Set<String> = []
        try remote.list(LogNames.slotBlocks) { name, byteCount in
            if byteCount == Self.slotBlockByteCount { known.insert(name) }
        }
        var list: [UInt8] = []
        for begin in stride(from: 0, to: SlotTable.fileByteCount, by: Self.slotBlockByteCount) {
            try requireWanted()
            let block = try slots.block(at: begin, byteCount: Self.slotBlockByteCount)
            let digest = try sha256(block)
            list += digest
            let name = Self.blockName(digest)
            guard known.insert(name).inserted else { continue }
            try remote.requireBack(name, try remote.put(name, block, isOnce: true))
        }
        return try remote.put(name, list)
    }

    static func blockName(_ digest: some Collection<UInt8>) -> String {
        LogNames.slotBlocks + Hexadecimal.encode(Array(digest))
    }

    // MARK: What it takes the place of

    /// Removes older snapshots, and entries that this one makes needless, but for each epoch's seal and the mark of its end:
    /// a writer that has slept through all of it must meet them.
    func removeWhatWasBefore(_ epoch: UInt64) throws {
        try ObjectTier.reaching {
            // Whoever has taken over decides what goes.
            guard try remote.look(at: LogNames.end(of: epoch)) == nil else { return }
            try removeSnapshots(before: epoch)
            try removeEntries(before: epoch)
        }
    }

    private func removeSnapshots(before epoch: UInt64) throws {
        let kept = try blocks(of: epoch) ?? []
        for older in try Self.epochs(in: remote, complete: false) where older < epoch {
            let blocks = try blocks(of: older) ?? []
            for name in [Name.complete] + Name.all { _ = try remote.remove(LogNames.snapshot(older) + name) }
            for block in blocks where !kept.contains(block) { _ = try remote.remove(block) }
        }
    }

    private func blocks(of epoch: UInt64) throws -> Set<String>? {
        let name = LogNames.snapshot(epoch) + Name.slots
        guard let list = try remote.readAsPut(name, atMost: 1 << 20) else { return nil }
        return Set(stride(from: 0, to: list.count, by: 32).map { Self.blockName(list[$0..<min($0 + 32, list.count)]) })
    }

    private func removeEntries(before epoch: UInt64) throws {
        var entries: [UInt64: [UInt64]] = [:]
        try remote.list(LogNames.log) { name, _ in
            let parts = name.split(separator: "/")
            guard parts.count == 3, let older = LogNames.number(parts[1]), older < epoch,
                let number = LogNames.number(parts[2])
            else { return }
            entries[older, default: []].append(number)
        }
        for (older, numbers) in entries {
            guard numbers.count > 1, let seal = try end(of: older, numbers.max() ?? 0) else { continue }
            let needless = numbers.filter { $0 < seal }.map { LogPosition(epoch: older, number: $0) }
            let remove: @Sendable (LogPosition) throws -> Bool = { [remote] in try remote.remove(LogNames.entry($0)) }
            try SideBySide.run(needless, threads: remote.concurrency, worker: { _ in remove }, each: { _, _ in })
        }
    }

    /// The number of an epoch's seal, once the mark of it is there; nil while it is not.
    private func end(of epoch: UInt64, _ last: UInt64) throws -> UInt64? {
        if let seal = try remote.seal(of: epoch) { return seal }
        // Lists may be behind: what is last there need not be the seal.
        let position = LogPosition(epoch: epoch, number: last)
        guard try LogEntryReader.open(position, in: remote)?.header.kind == .seal,
            try LedgerLog.markEnd(of: epoch, at: last, in: remote)
        else { return nil }
        return last
    }

    /// How many entries whoever begins with the snapshot of an epoch has to read.
    static func entryCount(since epoch: UInt64, in remote: any RemoteObjects) throws -> Int {
        var count = 0
        try remote.list(LogNames.log) { name, _ in
            let parts = name.split(separator: "/")
            guard parts.count == 3, let found = LogNames.number(parts[1]), found >= epoch,
                LogNames.number(parts[2]) != nil
            else { return }
            count += 1
        }
        return count
    }

    /// Epochs that have a snapshot, the newest first.
    static func epochs(in remote: any RemoteObjects, complete: Bool = true) throws -> [UInt64] {
        var found: Set<UInt64> = []
        try remote.list(LogNames.snapshots) { name, _ in
            let parts = name.split(separator: "/")
            guard parts.count == 3, let epoch = LogNames.number(parts[1]), !complete || parts[2] == Name.complete else {
                return
            }
            found.insert(epoch)
        }
        return found.sorted(by: >)
    }
}
