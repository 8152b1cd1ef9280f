import Dispatch
import Foundation
import Synchronization

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
