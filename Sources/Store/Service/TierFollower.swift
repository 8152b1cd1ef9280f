import Bytes
internal import GRDB
import Glibc
import Synchronization

/// A data directory that follows what another host puts into the bucket, and puts nothing there itself. Blocking; used by
/// one thread at a time.
package final class TierFollower: Sendable {
    private let remote: any RemoteObjects
    private let root: Folder
    private let lock: StoreLock
    private let pool: DatabasePool
    private let slots: SlotTable
    /// Who this data directory is as a writer; nil for one that never was.
    private let writer: LogWriterID?
    private let mark: Mutex<LogMark>

    /// - Throws: `inUse`; `unusable` for a data directory that does not belong to the bucket, or not to any
    package init(path: String, remote: any RemoteObjects) throws {
        // Somebody may wait for this host to take over.
        self.remote = remote.urgent
        root = try DirectoryState.openExisting(path)
        // Before the lock, which is a file, too.
        let header = try HeaderFile.requireChangeable(in: root, path: path)
        lock = try StoreLock.acquire(in: root)
        do {
            try ObjectTier.reaching { _ = try TierOrigin.require(header.hostSalt, in: remote) }
            slots = try SlotTable.open(in: root, condition: StoreCondition(folder: root.folder(StoreLayout.objects)))
            pool = try translatingLedgerErrors { try LedgerConnection.open(path: path + "/" + StoreLayout.ledger) }
            let pool = pool
            let (mark, writer) = try translatingLedgerErrors { try pool.read(TierOpening.place) }
            guard let mark else {
                throw StoreError.unusable(
                    "The data directory at \(path) does not go along to the bucket yet. Run safelight take-over there, or "
                        + "stand by with an empty one. Nothing was changed.")
            }
            self.mark = Mutex(mark)
            self.writer = writer
            lock.writeHolder()
            try root.unlink(StoreLayout.takeOverWanted)
            try root.open(StoreLayout.standsBy, O_RDWR | O_CREAT).synchronize()
        } catch {
            lock.release()
            throw StoreError.translating(error)
        }
    }

    /// Does here what has come since the last time.
    /// - Throws: `bucketUnreachable`; `unusable` where the log does not go back so far any more
    package func follow() throws {
        let replay = LogReplay(pool: pool, slots: slots)
        do {
            try ObjectTier.reaching {
                let walk = LogWalk(remote: remote)
                while let next = try walk.step(from: mark.withLock(\.self), { try replay.apply($0, $1) }) {
                    mark.withLock { $0 = next }
                }
            }
        } catch is LogWalk.Gap {
            throw TierOpening.tooOld
        }
    }

    /// Up to where it has come.
    var place: LogMark { mark.withLock(\.self) }

    /// Whether this data directory was the last to write to the bucket, as far as was followed.
    package var isWriter: Bool { mark.withLock { $0.writer == writer } }

    /// Whether somebody has asked for it, by `askToTakeOver`.
    package var isToTakeOver: Bool { root.contains(StoreLayout.takeOverWanted) }

    package func end() throws {
        defer { lock.release() }
        try root.unlink(StoreLayout.takeOverWanted)
        try root.unlink(StoreLayout.standsBy)
        pool.invalidateReadOnlyConnections()
        try translatingLedgerErrors {
            try pool.writeWithoutTransaction { try $0.checkpointIfOpen(.truncate) }
            try pool.close()
        }
    }

    /// Asks the process that stands by at a data directory to take over.
    /// - Returns: false where none does.
    package static func askToTakeOver(at path: String) throws -> Bool {
        guard access(path, F_OK) == 0 else { return false }
        let root = try DirectoryState.openExisting(path)
        guard root.contains(StoreLayout.standsBy) else { return false }
        try HeaderFile.requireChangeable(in: root, path: path)
        do {
            guard let lock = try StoreLock.acquireIfPresent(in: root) else { return false }
            lock.release()
            return false
        } catch .inUse {
            try root.open(StoreLayout.takeOverWanted, O_RDWR | O_CREAT).synchronize()
            return true
        }
    }
}

/// A sign that the host lives that writes to the bucket. Whoever stands by sees whether it changes, and needs no clock of
/// another host for that.
package struct TierSign: Sendable {
    private static let name = "sign-of-life"
    private let remote: any RemoteObjects

    package init(_ remote: any RemoteObjects) { self.remote = remote.urgent }

    /// Blocking.
    package func give() throws {
        try ObjectTier.reaching { _ = try remote.put(Self.name, randomBytes(16)) }
    }

    /// Blocking. What it is now; nil where nobody gives one.
    package func read() throws -> [UInt8]? {
        try ObjectTier.reaching { try remote.readWhole(Self.name, atMost: 64) }
    }
}

/// Decides whether a host that gives signs of life has ended: nothing is asked of any clock but of this host's running
/// time, and time in which the bucket did not answer here counts for nothing.
package struct TierSilence: Sendable {
    private let patience: Duration
    private var last: [UInt8]?
    private var since: ContinuousClock.Instant?

    package init(patience: Duration) { self.patience = patience }

    /// - Parameter sign: what was read; nil where there is none yet
    /// - Returns: whether it has not changed for so long.
    package mutating func isOver(_ sign: [UInt8]?, at now: ContinuousClock.Instant) -> Bool {
        guard let sign else { return false }
        guard sign == last, let since else {
            last = sign
            since = now
            return false
        }
        return now - since >= patience
    }

    /// The bucket did not answer.
    package mutating func wasDeaf() { since = nil }
}
