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
            // Before it is there: the end may come at any moment.
            Self.living.withLock { $0[path] = $0.isEmpty ? Self.signals.map(Self.awaitEnd) : [] }
            do {
                if let folder = try Self.makeLocked(path) {
                    (self.path, self.folder) = (path, folder)
                    return
                }
            } catch {
                Self.remove(path)
                throw error
            }
            Self.remove(path)
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

    func remove() { Self.remove(path) }

    private static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
        Self.living.withLock { living in
            guard let sources = living.removeValue(forKey: path), !sources.isEmpty else { return }
            // Another one goes on to need them.
            if let other = living.keys.first {
                living[other] = sources
            } else {
                for source in sources { source.cancel() }
            }
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
        source.setEventHandler {
            removeLiving()
            // The end is the one that the signal makes, for whoever waits for it.
            Glibc.signal(signal, SIG_DFL)
            var those = sigset_t()
            sigemptyset(&those)
            sigaddset(&those, signal)
            pthread_sigmask(SIG_UNBLOCK, &those, nil)
            raise(signal)
        }
        let isReady = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isReady.signal() }
        source.activate()
        isReady.wait()
        return source
    }

    /// The command is still at work, and may make a file in the midst of it.
    private static func removeLiving() {
        for path in living.withLock({ Array($0.keys) }) {
            for _ in 0..<20 where access(path, F_OK) == 0 { try? FileManager.default.removeItem(atPath: path) }
        }
    }
}
