import Bytes
import Foundation
internal import GRDB
import Synchronization

/// `ledger.copy-0` and `ledger.copy-1`: whole ledgers, made through SQLite's backup interface. Both are replaced each time,
/// one after the other, and hold the same moment: two moments side by side would tell which rows changed together, and so
/// which belong to one vault. What they held before is overwritten. Nothing numbers them, for that would count how often the
/// last vault was locked.
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
    /// The order in which they are replaced: after a crash in between the first one is the newer.
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
    func renew(from pool: DatabasePool, recording commit: (LedgerChange) throws -> Void) throws {
        try renewing.withLock { _ in
            let day = today()
            try commit(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    try transaction.setMetaValue(LedgerSchema.MetaKey.copyDay, day.bigEndianBytes)
                })
            try replace(Self.names[0]) { _ in try backUp(pool) }
            // Not from the ledger once more: somebody may be changing it.
            try replace(Self.names[1]) { file in try root.open(Self.names[0], O_RDONLY).copyContent(to: file) }
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
