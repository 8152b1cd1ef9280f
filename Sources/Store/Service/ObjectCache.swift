import Bytes
import Glibc
import Synchronization

/// Files of objects that the bucket has, too, kept within a limit: what was used longest ago goes first. When that was is
/// known in memory alone, for on the disk it would tell; what this run has not used goes before all of it, by chance.
final class ObjectCache: Sendable {
    private struct State {
        /// By when they were last used, in opened objects.
        var uses: [ObjectID: UInt64] = [:]
        var openCount: UInt64 = 0
        /// Since files were last counted.
        var addedByteCount: UInt64 = .max
    }

    private struct File {
        let id: ObjectID
        let byteCount: UInt64
        let use: UInt64
    }

    private let limit: UInt64
    private let folders: ObjectFolders
    private let objects: ObjectTier
    private let state = Mutex(State())

    init(limit: UInt64, folders: ObjectFolders, objects: ObjectTier) {
        self.limit = limit
        self.folders = folders
        self.objects = objects
    }

    func noteUse(of id: ObjectID) {
        state.withLock { state in
            state.openCount += 1
            state.uses[id] = state.openCount
        }
    }

    func noteAdded(_ byteCount: UInt64) {
        state.withLock { state in
            let (sum, overflow) = state.addedByteCount.addingReportingOverflow(byteCount)
            state.addedByteCount = overflow ? .max : sum
        }
    }

    /// Whether so much has come that files have to be counted again.
    var isDue: Bool { state.withLock { $0.addedByteCount > limit / 16 } }

    /// Blocking. Removes files until a tenth of the limit is free, where it is reached.
    /// - Parameter requireWanted: throws when nobody wants it any more
    /// - Returns: how many went, and how many the bucket had lost, which were put again and stay.
    @discardableResult
    func trim(_ ledger: Ledger, requireWanted: () throws -> Void = {}) throws -> (removed: Int, mended: Int) {
        state.withLock { $0.addedByteCount = 0 }
        var files = try files(ledger)
        var total = files.reduce(0) { $0 + $1.byteCount }
        guard total > limit else { return (0, 0) }
        files.shuffle()
        files.sort { $0.use < $1.use }
        var outcome = (removed: 0, mended: 0)
        for file in files where total > limit / 10 * 9 {
            do {
                // Before the last one there is goes.
                guard try objects.isWholeThere(file.id, requireWanted: requireWanted) else {
                    let again = try objects.putAgain(file.id, isCutOff: { _ in true }, while: { true })
                    if again == .mended { outcome.mended += 1 }
                    continue
                }
            } catch StoreError.ioFailed(_, EIO) {
                continue
            }
            try folders.shard(of: file.id).unlink(file.id.hex)
            state.withLock { _ = $0.uses.removeValue(forKey: file.id) }
            total -= file.byteCount
            outcome.removed += 1
        }
        return outcome
    }

    /// Those that the ledger lists as photos; unfinished uploads are here alone.
    private func files(_ ledger: Ledger) throws -> [File] {
        let uses = state.withLock(\.uses)
        var files: [File] = []
        for number in UInt8.min...UInt8.max {
            let shard = try folders.objects.folder(Hexadecimal.encode([number]))
            let live = try ledger.readBlocking { try $0.liveObjects(inShard: number) }
            for name in try shard.names() {
                guard let id = ObjectID(hex: name), live.objects.contains(id),
                    let byteCount = try shard.byteCount(of: name)
                else { continue }
                files.append(File(id: id, byteCount: byteCount, use: uses[id] ?? 0))
            }
        }
        return files
    }
}
