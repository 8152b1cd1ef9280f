import Foundation
internal import GRDB

/// A private copy of what every opening of a store changes, of one whose disk takes no writes: header, slots, and the
/// ledger with its log and its copies, all of them sealed. Photos stay where they are and are only read. Goes with the
/// command that needs it.
package final class WorkingCopy: Sendable {
    /// The folder of the copy, below the one for temporary files.
    package let path: String
    /// What the disk could not read, for people.
    package let notes: [String]

    private let scratch: ScratchFolder
    private var root: Folder { scratch.folder }
    /// Of the store itself: nobody else works on it meanwhile.
    private let lock: StoreLock?

    /// Blocking. Throws `inUse`, and what a store refuses that cannot be opened.
    package init(of source: String) throws {
        let original = try DirectoryState.openExisting(source)
        // A daemon that still serves what its disk lets be read changes nothing there.
        lock = DirectoryState.isReadOnly(source) ? nil : try StoreLock.acquireIfPresent(in: original)
        let header = try HeaderFile.bytes(of: HeaderFile.require(in: original, path: source))
        scratch = try ScratchFolder()
        path = scratch.path
        let root = scratch.folder
        do {
            try root.makeFolder(StoreLayout.quarantine)
            try root.open(StoreLayout.header, O_RDWR | O_CREAT | O_EXCL).write(header, at: 0)
            let isLogLost = try LedgerLogMark(root: original, path: source).isLogLost()
            notes =
                try (isLogLost ? ["The ledger's log is missing, and with it what was saved last."] : [])
                + Self.copySlots(original, to: root) + Self.copyLedgers(original, to: root)
        } catch {
            scratch.remove()
            throw Self.withAdvice(error)
        }
    }

    package func remove() { scratch.remove() }

    /// What commands left that were cut off by force. Blocking.
    package static func removeAbandoned() { ScratchFolder.removeAbandoned() }

    /// Merges the ledger's log, or puts the newest of its copies that is whole in its place.
    @discardableResult
    func settleLedger() throws -> StartupReport {
        var report = StartupReport()
        let copies = LedgerCopies(root: root, path: path, today: StoreConfiguration.systemDay)
        let reserve = try DiskReserve(in: root, byteCount: 0, floorByteCount: 0)
        let recovery = LedgerRecovery(
            root: root, path: path, today: StoreConfiguration.systemDay(), copies: copies, reserve: reserve)
        let pool = try recovery.open(&report)
        try translatingLedgerErrors {
            try pool.writeWithoutTransaction { try $0.checkpointIfOpen(.truncate) }
            try pool.close()
        }
        return report
    }

    private static func copySlots(_ original: Folder, to root: Folder) throws -> [String] {
        let copy = try root.open(StoreLayout.slots, O_RDWR | O_CREAT | O_EXCL)
        let slots = try SlotImage.copying(original.open(StoreLayout.slots, O_RDONLY), to: copy).image
        guard slots.unreadableSlotCount > 0 else { return [] }
        return ["\(slots.unreadableSlotCount) key slots cannot be read; every password has twelve."]
    }

    /// One that cannot be read whole is left out, as if it were missing: what stands in for it, does.
    private static func copyLedgers(_ original: Folder, to root: Folder) throws -> [String] {
        var notes: [String] = []
        for name in [StoreLayout.ledger, StoreLayout.ledgerWriteAheadLog] + StoreLayout.ledgerCopies {
            do {
                guard let source = try original.openIfPresent(name, O_RDONLY) else { continue }
                let target = try root.open(name, O_RDWR | O_CREAT | O_EXCL)
                try source.copyContent(to: target)
            } catch StoreError.ioFailed(_, EIO) {
                notes.append("\(name) cannot be read whole.")
                try root.unlink(name)
            }
        }
        // A log must never meet a ledger that it was not written for.
        if !root.contains(StoreLayout.ledger) { try root.unlink(StoreLayout.ledgerWriteAheadLog) }
        return notes
    }

    private static func withAdvice(_ error: any Error) -> any Error {
        guard error as? StoreError == .diskFull else { return error }
        return StoreError.unusable(
            "The folder for temporary files has no room for a copy of the ledger, which is needed since the disk of the "
                + "data directory takes no writes. Name another one: TMPDIR=/FOLDER.")
    }
}

extension DirectoryState {
    /// Whether the file system of a folder takes no writes: it was mounted so, or the kernel did that after an error.
    package static func isReadOnly(_ path: String) -> Bool {
        var status = statvfs()
        return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
    }
}
