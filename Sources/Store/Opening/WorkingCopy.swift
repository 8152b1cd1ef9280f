import Dispatch
import Foundation
internal import GRDB
import Synchronization

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

/// A private folder below the one for temporary files, gone with the command that made it: at its end, and at Ctrl-C and
/// what else tells a program to end. What a power cut or an end by force leaves goes with the next command: whoever
/// lives holds a lock on the folder, and nobody else does.
final class ScratchFolder: Sendable {
    private static let beginning = "safelight-copy-"
    private static let living = Mutex<[String: [any DispatchSourceSignal]]>([:])

    let path: String
    /// Carries the lock.
    let folder: Folder

    init(below parent: String = FileManager.default.temporaryDirectory.path) throws {
        Self.removeAbandoned(below: parent)
        while true {
            let path = parent + "/" + Self.beginning + UUID().uuidString
            if let folder = try Self.makeLiving(path) {
                (self.path, self.folder) = (path, folder)
                return
            }
        }
    }

    /// Under the lock that the end takes: it finds the folder, or comes before it is there.
    private static func makeLiving(_ path: String) throws -> Folder? {
        try living.withLock { living in
            living[path] = living.isEmpty ? signals.map(awaitEnd) : []
            do {
                if let folder = try makeLocked(path) { return folder }
            } catch {
                remove(path, of: &living)
                throw error
            }
            remove(path, of: &living)
            return nil
        }
    }

    /// Nil when somebody who clears away found it before it had its lock.
    private static func makeLocked(_ path: String) throws -> Folder? {
        guard mkdir(path, 0o700) == 0 else { throw StoreError.failure("making a temporary folder") }
        let folder = try Folder.open(path: path)
        var (own, there) = (stat(), stat())
        let isLocked = flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0
        let isThere = fstat(folder.descriptor, &own) == 0 && lstat(path, &there) == 0 && own.st_ino == there.st_ino
        return isLocked && isThere ? folder : nil
    }

    func remove() { Self.living.withLock { Self.remove(path, of: &$0) } }

    private static func remove(_ path: String, of living: inout [String: [any DispatchSourceSignal]]) {
        try? FileManager.default.removeItem(atPath: path)
        guard let sources = living.removeValue(forKey: path), !sources.isEmpty else { return }
        // Another one goes on to need them.
        if let other = living.keys.first {
            living[other] = sources
        } else {
            for source in sources { source.cancel() }
        }
    }

    /// Those of commands that came to no end of their own.
    static func removeAbandoned(below parent: String = FileManager.default.temporaryDirectory.path) {
        guard let parentFolder = try? Folder.open(path: parent), let names = try? parentFolder.names() else { return }
        for name in names where name.hasPrefix(beginning) {
            var status = stat()
            guard let folder = try? parentFolder.folder(name), fstat(folder.descriptor, &status) == 0,
                status.st_uid == geteuid(), flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            try? FileManager.default.removeItem(atPath: parent + "/" + name)
        }
    }

    // MARK: The end of the process

    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    private static func awaitEnd(by signal: Int32) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: signal, queue: .global())
        // The lock is held until the process is gone: a command that finds its folder missing waits for it where it
        // clears away, and cannot end with an error of its own, nor begin another folder.
        source.setEventHandler { living.withLock { end(by: signal, removing: $0.keys) } }
        let isReady = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isReady.signal() }
        source.activate()
        isReady.wait()
        return source
    }

    private static func end(by signal: Int32, removing paths: some Sequence<String>) {
        for path in paths {
            // The command is still at work, and may make a file in the midst of it.
            for _ in 0..<1_000 where access(path, F_OK) == 0 { try? FileManager.default.removeItem(atPath: path) }
        }
        // The end is the one that the signal makes, for whoever waits for it.
        Glibc.signal(signal, SIG_DFL)
        var those = sigset_t()
        sigemptyset(&those)
        sigaddset(&those, signal)
        pthread_sigmask(SIG_UNBLOCK, &those, nil)
        raise(signal)
    }
}
