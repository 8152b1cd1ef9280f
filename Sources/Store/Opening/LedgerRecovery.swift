internal import GRDB
import Glibc

/// Opens the ledger, or, when it is damaged or missing, puts the newest good copy in its place. The damaged files are
/// kept, moved aside. On a full disk the reserve is given up for it, for the log needs room.
struct LedgerRecovery {
    let root: Folder
    let path: String
    let today: UInt32
    let copies: LedgerCopies
    let reserve: DiskReserve

    func open(_ report: inout StartupReport) throws -> DatabasePool {
        let reason: String
        do {
            if try root.byteCount(of: StoreLayout.ledger) ?? 0 > 0 { return try openTwice() }
            reason = "it is missing or empty"
        } catch StoreError.ledgerDamaged(let found) {
            reason = found
        } catch {
            guard let found = try LedgerHeader.complaint(in: root) else { throw error }
            reason = found
        }
        return try restore(because: reason, &report)
    }

    /// For SQLite's check a page that the disk fails to give is damage. It may come the next time, and a copy lacks what was
    /// saved last: it takes the place only of a ledger that can be read to its end, and is found damaged once more.
    private func openTwice() throws -> DatabasePool {
        do {
            return try makingRoom(openChecked)
        } catch StoreError.ledgerDamaged {
            try requireReadable()
            return try makingRoom(openChecked)
        }
    }

    private func requireReadable() throws(StoreError) {
        for name in [StoreLayout.ledger, StoreLayout.ledgerWriteAheadLog] {
            do {
                try root.openIfPresent(name, O_RDONLY)?.readThrough()
            } catch {
                throw StoreError.ledgerUnreadable
            }
        }
    }

    private func openChecked() throws -> DatabasePool {
        try translatingLedgerErrors {
            let pool = try LedgerConnection.open(path: path + "/" + StoreLayout.ledger, keepsLog: true)
            let complaint: String?
            do {
                complaint = try pool.writeWithoutTransaction { try LedgerSchema.complaint(about: $0) }
            } catch {
                try? pool.close()
                throw error
            }
            if let complaint {
                try? pool.close()
                throw StoreError.ledgerDamaged(complaint)
            }
            try pool.write { try LedgerSchema.addLaterTables(to: $0) }
            return pool
        }
    }

    private func restore(because reason: String, _ report: inout StartupReport) throws -> DatabasePool {
        guard let copy = copies.newestGood() else {
            throw StoreError.unusable(
                "The ledger is damaged (\(reason)) and neither of its copies is whole. Put \(StoreLayout.ledger) back "
                    + "from a backup; without it no photo can be opened. Nothing was removed.")
        }
        let folder = try makingRoom { try moveDamagedAside(copy) }
        try makingRoom { try putInPlace(copy.name) }
        report.ledgerRestoredFromCopy = LedgerRestoration(day: copy.day)
        report.movedAside.append(folder)
        report.notes.append("The ledger was damaged (\(reason)); its copy of day \(copy.day) took its place.")
        return try makingRoom(openChecked)
    }

    /// Photos can be deleted from a full disk only once the daemon runs.
    private func makingRoom<R>(_ step: () throws -> R) throws -> R {
        do {
            return try step()
        } catch StoreError.diskFull {
            try reserve.release()
            return try step()
        } catch StoreError.ioFailed where hasNoRoomForFiles {
            // SQLite says no more than that it could not make its log.
            try reserve.release()
            return try step()
        }
    }

    /// By these very files: a disk may have an inode left, but no room for another name in the folder.
    private var hasNoRoomForFiles: Bool {
        do {
            for name in [StoreLayout.ledgerWriteAheadLog, StoreLayout.ledgerSharedMemory] {
                _ = try root.open(name, O_RDWR | O_CREAT)
            }
            return false
        } catch {
            return error == .diskFull
        }
    }

    /// A log must never meet a ledger that it was not written for, so all three files go. They are kept for a month, also
    /// where the clock is behind at this moment.
    private func moveDamagedAside(_ copy: LedgerCopies.Version) throws -> String {
        // The ledger first: after a crash in between it is missing, and the next start comes here again.
        try root.moveDamagedAside(
            [StoreLayout.ledger, StoreLayout.ledgerWriteAheadLog, StoreLayout.ledgerSharedMemory],
            day: max(today, copy.day))
    }

    private func putInPlace(_ name: String) throws {
        try LedgerSuccession.clear(in: root)
        let source = try root.open(name, O_RDONLY)
        let target = try root.open(StoreLayout.newLedger, O_RDWR | O_CREAT | O_EXCL)
        try source.copyContent(to: target)
        try LedgerSuccession.renewSessionMark(in: root, path: path)
        try LedgerSuccession.takePlace(in: root)
    }
}

/// An older ledger on its way into the place of the ledger, as `ledger.new`.
enum LedgerSuccession {
    /// What an attempt that was cut off has left. A log must never meet a ledger that it was not written for.
    static func clear(in root: Folder) throws {
        for suffix in ["", "-wal", "-shm"] { try root.unlink(StoreLayout.newLedger + suffix) }
    }

    /// Before anything of it is read or changed.
    /// - Parameter source: where it came from, for people
    /// - Returns: what is wrong with its pages; nil where they are sound.
    /// - Throws: `unusable` for one that holds what this program never writes
    static func complaint(path: String, from source: String) throws(StoreError) -> String? {
        do throws(StoreError) {
            return try ImmutableLedger.open(path: path + "/" + StoreLayout.newLedger).complaint(thorough: true)
        } catch {
            switch error {
            case .foreignLedger(let entries):
                throw .unusable(
                    "The ledger of \(source) holds what Safelight never writes (\(entries)). Nothing of that was run. "
                        + "Somebody was able to write there: try an older state (--state), or another backup.")
            case .ledgerDamaged(let reason): return reason
            default: throw error
            }
        }
    }

    /// Before it takes the ledger's place: after a power cut in between, nobody would know that it was a copy.
    /// - Parameter leavesLog: for a backup, which goes along to no bucket, whatever the data directory did that it is of
    static func renewSessionMark(in root: Folder, path: String, leavesLog: Bool = false) throws {
        try translatingLedgerErrors {
            let pool = try LedgerConnection.open(path: path + "/" + StoreLayout.newLedger)
            try pool.write { database in
                try LedgerTransaction(database, failures: .init()).renewSessionMark()
                if leavesLog {
                    for key in LedgerSchema.MetaKey.ofBucket {
                        try database.run("DELETE FROM meta WHERE key = ?", [.text(key)])
                    }
                }
            }
            try pool.writeWithoutTransaction { try $0.checkpointIfOpen(.truncate) }
            pool.invalidateReadOnlyConnections()
            try pool.close()
        }
        for suffix in ["-wal", "-shm"] { try root.unlink(StoreLayout.newLedger + suffix) }
    }

    /// Complete on disk first, then under the ledger's name.
    static func takePlace(in root: Folder) throws {
        try root.open(StoreLayout.newLedger, O_RDONLY).synchronize()
        try root.rename(StoreLayout.newLedger, to: StoreLayout.ledger)
        try root.synchronize()
    }
}

extension Folder {
    /// Moves those of the files that are there, in this order, into a new folder.
    /// - Returns: its name.
    func moveDamagedAside(_ files: [String], day: UInt32) throws(StoreError) -> String {
        var number = 1
        while contains(StoreLayout.damagedFolder(day: day, number: number)) { number += 1 }
        let name = StoreLayout.damagedFolder(day: day, number: number)
        try makeFolder(name)
        let folder = try folder(name)
        for file in files where contains(file) { try rename(file, to: file, in: folder) }
        try folder.synchronize()
        try synchronize()
        return name
    }
}
