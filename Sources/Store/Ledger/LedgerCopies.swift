import Bytes
import Foundation
internal import GRDB
import Glibc
import Synchronization

/// `ledger.copy-0` and `ledger.copy-1`: whole ledgers. Both are renewed each time, one after the other, and hold the same
/// moment: two moments side by side would tell which rows changed together, and so which belong to one vault. Only what
/// changed is written, over what stood there before, so that a visit costs a card what it changed and not the ledger
/// again. Nothing numbers the copies, for that would count how often the last vault was locked.
final class LedgerCopies: Sendable {
    struct Version: Sendable, Equatable {
        var name: String
        /// Days since 1970.
        var day: UInt32
    }

    private let root: Folder
    private let path: String
    private let today: @Sendable () -> UInt32
    private let renewing = Mutex(())
    /// The order in which they are renewed: after a crash in between the first one is the newer.
    private static let names = [StoreLayout.ledgerCopies[1], StoreLayout.ledgerCopies[0]]

    init(root: Folder, path: String, today: @escaping @Sendable () -> UInt32) {
        self.root = root
        self.path = path
        self.today = today
    }

    /// Copies that can be opened, newest first. Whether they are whole is not checked.
    func versions() -> [Version] {
        Self.names.compactMap { name in
            guard let copy = try? open(name), let day = try? copy.metaValue(LedgerSchema.MetaKey.copyDay),
                day.count == 4
            else { return nil }
            return Version(name: name, day: day.reduce(0) { $0 << 8 | UInt32($1) })
        }
    }

    /// The newest copy that passes a check.
    func newestGood() -> Version? {
        versions().first { version in
            guard let copy = try? open(version.name) else { return false }
            return (try? copy.complaint()) == .some(nil)
        }
    }

    func rows(_ id: RowID, in home: RowHome) throws -> [[UInt8]] {
        versions().compactMap { version in
            // A copy with a damaged page still helps with its other pages.
            (try? open(version.name).row(id, in: home)) ?? nil
        }
    }

    /// The day of the new copies is first committed to the ledger, so that they carry it.
    /// - Parameter merged: called once the ledger's file has everything; nothing is committed meanwhile.
    func renew(
        from pool: DatabasePool, recording commit: (LedgerChange) throws -> Void, merged: @escaping () -> Void = {}
    ) throws {
        try renewing.withLock { _ in
            let day = today()
            try commit(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    try transaction.setMetaValue(LedgerSchema.MetaKey.copyDay, day.bigEndianBytes)
                })
            try removeUnfinished()
            if let file = try root.openIfPresent(Self.names[0], O_RDWR),
                let moment = try translatingLedgerErrors({ try LedgerConnection.mergedMoment(of: pool, merged) })
            {
                try translatingLedgerErrors { try moment.read { try update(file, from: $0) } }
            } else {
                try replace(Self.names[0]) { _ in try backUp(pool) }
            }
            // Not from the ledger once more: somebody may be changing it.
            let newest = try root.open(Self.names[0], O_RDONLY)
            guard let file = try root.openIfPresent(Self.names[1], O_RDWR) else {
                return try replace(Self.names[1]) { try newest.copyContent(to: $0) }
            }
            try file.update(to: newest.byteCount()) { try newest.read(into: $0, at: $1) }
            file.forgetCached()
        }
    }

    /// In place. What is damaged in the ledger takes the place of nothing good.
    private func update(_ file: OpenFile, from moment: Database) throws {
        if let foreign = try LedgerSchema.written.foreignEntries(in: moment) { throw StoreError.foreignLedger(foreign) }
        if let complaint = try LedgerSchema.complaint(about: moment) { throw StoreError.ledgerDamaged(complaint) }
        let ledger = try DatabaseFile(of: moment)
        try file.update(to: ledger.byteCount()) { try ledger.read(into: $0, at: $1) }
        file.forgetCached()
        if let complaint = try open(Self.names[0]).complaint() { throw StoreError.ledgerDamaged(complaint) }
    }

    private func replace(_ name: String, filling: (OpenFile) throws -> Void) throws {
        do {
            // Made here, because SQLite would make it readable for others.
            let file = try root.open(StoreLayout.newLedgerCopy, O_RDWR | O_CREAT | O_EXCL)
            try translatingLedgerErrors { try filling(file) }
            try file.synchronize()
            file.forgetCached()
            // SQLite copies a ledger's pages as they are, damaged ones too: those would take the place of good ones.
            if let complaint = try open(StoreLayout.newLedgerCopy).complaint() {
                throw StoreError.ledgerDamaged(complaint)
            }
            let former = try? root.openIfPresent(name, O_WRONLY)
            try root.rename(StoreLayout.newLedgerCopy, to: name)
            try root.synchronize()
            if let former { overwriteWithZeros(former.descriptor, from: 0) }
        } catch {
            try? removeUnfinished()
            throw error
        }
    }

    private func backUp(_ pool: DatabasePool) throws {
        try LedgerConnection.backUp(pool, to: path + "/" + StoreLayout.newLedgerCopy)
    }

    func removeUnfinished() throws {
        if let unfinished = try root.openIfPresent(StoreLayout.newLedgerCopy, O_WRONLY) {
            overwriteWithZeros(unfinished.descriptor, from: 0)
        }
        for suffix in ["", "-wal", "-shm", "-journal"] { try root.unlink(StoreLayout.newLedgerCopy + suffix) }
    }

    private func open(_ name: String) throws -> ImmutableLedger {
        try ImmutableLedger.open(path: path + "/" + name)
    }
}

/// The ledger and its log as files, of which another process may be writing both. They are copied and put together in the
/// copy, so that nothing of the original changes, and nothing of it has to be mapped into memory.
///
/// Two locks of SQLite's are held meanwhile, which its writers respect: as long as somebody reads the database, nobody ends
/// the log and takes it away; as long as somebody reads the log, nobody begins it anew. What a writer moves from the log
/// into the ledger while that is copied is therefore in the copy of the log, which is made afterwards. What comes after the
/// last whole commit there does not count: its checksums end.
struct LiveLedger {
    private struct Lock {
        let start: off_t
        let length: off_t

        /// What SQLite calls SHARED, of the database.
        static let database = Lock(start: 0x4000_0002, length: 510)
        /// The third of the five locks of readers, of `-shm`. A start that reads the log to its end passes over it, but not
        /// over the last one.
        static let log = Lock(start: 125, length: 1)
    }

    /// F_OFD_SETLKW of linux/fcntl.h: such a lock belongs to the open file, and goes with it.
    private static let lockAndWait: Int32 = 38

    let root: Folder
    /// Whether the file that carries the second lock may be made where it is missing.
    var makesIndex = true
    /// Before the log is copied; for tests, in which others write then, and begin anew.
    var ledgerWasCopied: () throws -> Void = {}

    /// Into a folder that has neither; the copy has no log and is on disk on return.
    func copy(into state: Folder, path: String) throws {
        try copyFiles(into: state)
        if state.contains(StoreLayout.ledgerWriteAheadLog) {
            try LedgerConnection.mergeLog(of: path + "/" + StoreLayout.ledger)
        }
        for name in [StoreLayout.ledgerWriteAheadLog, StoreLayout.ledgerSharedMemory] { try state.unlink(name) }
        let copy = try state.open(StoreLayout.ledger, O_RDWR)
        try copy.synchronize()
        copy.forgetCached()
    }

    /// The locks are held no longer than this takes: what is done with the copy keeps nobody waiting.
    private func copyFiles(into state: Folder) throws {
        let ledger = try root.open(StoreLayout.ledger, O_RDONLY)
        try hold(.database, ledger)
        let index = try keepLog()
        try withExtendedLifetime((ledger, index)) {
            let target = try state.open(StoreLayout.ledger, O_RDWR | O_CREAT | O_EXCL)
            try ledger.copyContent(to: target)
            try ledgerWasCopied()
            // Not before: the log may have been begun meanwhile.
            guard let log = try root.openIfPresent(StoreLayout.ledgerWriteAheadLog, O_RDONLY) else { return }
            // What comes from here on is not waited for: it may come as fast as it is copied.
            try log.copyContent(
                to: state.open(StoreLayout.ledgerWriteAheadLog, O_RDWR | O_CREAT | O_EXCL), upTo: log.byteCount())
        }
    }

    /// What keeps the log as it is: without the file for its lock, that of the store.
    private func keepLog() throws -> any Sendable {
        guard makesIndex || root.contains(StoreLayout.ledgerSharedMemory) else {
            return try StoreLock.acquireIfPresent(in: root)
        }
        return try openIndex()
    }

    /// A disk that has no room for the file that carries the lock has none for a start
    /// either; and the lock of the store keeps one away that would make room.
    private func openIndex() throws -> any Sendable {
        do {
            let index = try root.open(StoreLayout.ledgerSharedMemory, O_RDWR | O_CREAT)
            try hold(.log, index)
            return index
        } catch StoreError.diskFull {
            return try StoreLock.acquireIfPresent(in: root)
        }
    }

    private func hold(_ lock: Lock, _ file: OpenFile) throws(StoreError) {
        var request = flock()
        request.l_type = Int16(F_RDLCK)
        request.l_whence = Int16(SEEK_SET)
        (request.l_start, request.l_len) = (lock.start, lock.length)
        while fcntl(file.descriptor, Self.lockAndWait, &request) != 0 {
            guard errno == EINTR else { throw .failure("locking the ledger") }
        }
    }
}
