import Glibc

/// Tries whether another host could go on with the bucket that everything goes along to: makes a data directory of it for a
/// moment, as a take-over does, and reads back some of the objects that its ledger lists. Needs no key. Nothing in the bucket
/// is removed or replaced.
package final class TierRehearsal: Sendable {
    private let remote: any RemoteObjects
    private let scratch: ScratchFolder

    /// Of the data directory, below the folder for temporary files; sealed, and gone with `remove`.
    package let path: String

    /// Blocking.
    /// - Parameter progress: gets pieces of slots done and all
    /// - Throws: `unusable` where no host could take over, with the reason
    package init(of remote: any RemoteObjects, progress: (_ done: Int, _ of: Int) -> Void) throws {
        self.remote = remote
        scratch = try ScratchFolder()
        path = scratch.path + "/data"
        do {
            try TierRestoration(from: remote, to: path).run(progress: progress)
            try follow()
        } catch {
            scratch.remove()
            throw error
        }
    }

    package func remove() { scratch.remove() }

    /// Blocking. Compares objects, drawn by chance, with the digests that they were put with.
    /// - Parameters:
    ///   - part: of the objects, more than 0 and at most 1; at least one is fetched.
    ///   - progress: gets objects done and all.
    package func run(part: Double, progress: (_ done: Int, _ of: Int) -> Void) throws -> RehearsalReport {
        try ObjectTier.reaching {
            var report = RehearsalReport(time: UInt64(time(nil)))
            let all = try objects()
            report.objectCount = all.count
            let drawn = all.shuffled().prefix(max(1, Int((Double(all.count) * part).rounded(.up))))
            var doubtful: [ObjectID] = []
            progress(0, drawn.count)
            try SideBySide.run(Array(drawn), threads: remote.concurrency) { [remote, scratch] number in
                let copier = VerifiedCopy(
                    root: scratch.folder, worker: number, pieceByteCount: RemoteFile.pieceByteCount)
                return { id in try copier.look(at: id, in: remote) }
            } each: { id, outcome in
                report.fetchedObjectCount += 1
                report.byteCount += outcome.byteCount
                progress(report.fetchedObjectCount, drawn.count)
                if !outcome.isIntact { doubtful.append(id) }
            }
            guard !doubtful.isEmpty else { return report }
            // Whoever deletes meanwhile damages nothing.
            try follow()
            let listed = Set(try objects())
            report.damaged = doubtful.filter(listed.contains).map { LogNames.object($0) }
            return report
        }
    }

    private func objects() throws -> [ObjectID] {
        try ListedFiles(ledger: .open(path: path + "/" + StoreLayout.ledger)).objects
    }

    /// To the end of the log, as far as it went when this began.
    private func follow() throws {
        let follower = try TierFollower(path: path, remote: remote)
        let outcome = Result {
            let hole = LogHole(remote: remote)
            while true {
                let list = try ObjectTier.reaching { try LogList(remote) }
                try follower.follow()
                switch try ObjectTier.reaching({ try hole.look(behind: follower.place, list) }) {
                case .end: return
                case .more: continue
                case .hole: throw LogHole.found(at: follower.place.position.next)
                }
            }
        }
        try follower.end()
        try outcome.get()
    }
}

extension VerifiedCopy {
    /// Reads all of an object of the bucket. Not intact when it is missing, or is not what it was put as.
    fileprivate func look(
        at id: ObjectID, in remote: any RemoteObjects
    ) throws -> (isIntact: Bool, byteCount: UInt64) {
        let name = LogNames.object(id)
        guard let digest = try remote.look(at: name)?.digest.flatMap({ FileDigest(hex: $0.utf8) }) else {
            return (false, 0)
        }
        do {
            let found = try readable(RemoteFile(remote: remote, name: name), expecting: digest) {
                try self.digest(of: $0)
            }
            return (found.digest == digest, found.byteCount)
        } catch is SourceUnreadable {
            return (false, 0)
        }
    }
}
