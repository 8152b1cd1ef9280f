import Bytes
import Foundation
internal import GRDB
import Synchronization

/// `ledger.copy-0` and `ledger.copy-1`: whole ledgers, made through SQLite's backup interface. Both are replaced each time,
/// one after the other, and hold the same moment: two moments side by side would tell which rows changed together, and so
/// which belong to one vault. What they held before is overwritten.
final class LedgerCopies: Sendable {
    struct Version: Sendable, Equatable {
        var name: String
        var sequence: UInt64
        /// Days since 1970.
        var day: UInt32
    }

    private let root: Folder
    private let path: String
    private let today: @Sendable () -> UInt32
    private let renewing = Mutex(())

    init(root: Folder, path: String, today: @escaping @Sendable () -> UInt32) {
        self.root = root
        self.path = path
        self.today = today
    }

    /// Copies that can be opened, newest first. Whether they are whole is not checked.
    func versions() -> [Version] {
        StoreLayout.ledgerCopies.compactMap { name in
            guard let copy = try? open(name),
                let sequence = try? copy.metaValue(LedgerSchema.MetaKey.copySequence), sequence.count == 8,
                let day = try? copy.metaValue(LedgerSchema.MetaKey.copyDay), day.count == 4
            else { return nil }
            return Version(
                name: name, sequence: sequence.reduce(0) { $0 << 8 | UInt64($1) },
                day: day.reduce(0) { $0 << 8 | UInt32($1) })
        }.sorted { $0.sequence > $1.sequence }
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

    /// The number and day of the new copies are first committed to the ledger, so that they carry them.
    func renew(from pool: DatabasePool, recording commit: (LedgerChange) throws -> Void) throws {
        try renewing.withLock { _ in
            let versions = versions()
            let sequence = (versions.first?.sequence ?? 0) + 1
            let day = today()
            try commit(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    try transaction.setMetaValue(LedgerSchema.MetaKey.copySequence, sequence.bigEndianBytes)
                    try transaction.setMetaValue(LedgerSchema.MetaKey.copyDay, day.bigEndianBytes)
                })
            // The newest that can be read goes last: until then it is what a damaged ledger would be put back from.
            let last = versions.first?.name ?? StoreLayout.ledgerCopies[1]
            let first = StoreLayout.ledgerCopies.first { $0 != last } ?? StoreLayout.ledgerCopies[0]
            try replace(first) { _ in try backUp(pool) }
            // Not from the ledger once more: somebody may be changing it.
            try replace(last) { file in try root.open(first, O_RDONLY).copyContent(to: file) }
        }
    }

    private func replace(_ name: String, filling: (OpenFile) throws -> Void) throws {
        try removeUnfinished()
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
