import Glibc

/// Fetches a state of a backup and some of its objects, drawn by chance, and compares all of it with the state's list:
/// what nobody has ever read back is a hope and no copy. Needs no key, and changes nothing of the backup.
package struct Rehearsal {
    private let place: BackupPlace

    package init(from place: BackupPlace) {
        self.place = place
    }

    /// Blocking.
    /// - Parameters:
    ///   - state: nil for the newest.
    ///   - part: of the objects, more than 0 and at most 1; at least one is fetched.
    ///   - progress: gets files done and all.
    package func run(
        state: UInt64? = nil, part: Double, progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> RehearsalReport {
        let backup = try place.openExisting()
        let time = try backup.state(state)
        var report = RehearsalReport(time: time)
        let digests = try backup.digests(of: time)
        let (folder, path) = try backup.files(of: time)
        report.hostSalt = try? HeaderFile.inspect(in: folder)?.hostSalt
        for name in BackupLayout.filesOfState where name != BackupLayout.digests {
            if try !isIntact(name, in: folder, digests[name], &report) { report.damaged.append(name) }
        }
        guard let ledger = try listed(path, &report) else { return report }
        let all = backup.files(of: ledger, digests)
        report.objectCount = ledger.objects.count
        let files = all.shuffled().prefix(max(1, Int((Double(all.count) * part).rounded(.up))))
        var done = 0
        progress(0, files.count)
        try SideBySide.run(Array(files), threads: backup.concurrency) { number in
            let copier = VerifiedCopy(root: folder, worker: number, pieceByteCount: backup.pieceByteCount)
            return { file in try copier.look(at: file, of: time, in: backup) }
        } each: { file, outcome in
            done += 1
            progress(done, files.count)
            report.fetchedObjectCount += 1
            report.byteCount += outcome.byteCount
            if !outcome.isIntact { report.damaged.append(file.path) }
        }
        return report
    }

    private func isIntact(
        _ name: String, in folder: Folder, _ digest: FileDigest?, _ report: inout RehearsalReport
    ) throws -> Bool {
        guard let digest, let file = try folder.openIfPresent(name, O_RDONLY) else { return false }
        do {
            let found = try VerifiedCopy(root: folder).digest(of: file)
            report.byteCount += found.byteCount
            return found.digest == digest
        } catch is VerifiedCopy.SourceUnreadable {
            return false
        }
    }

    /// Nil for a ledger that cannot be read: nothing says then which objects there should be.
    private func listed(_ path: String, _ report: inout RehearsalReport) throws -> ListedFiles? {
        do {
            let ledger = try ImmutableLedger.open(path: path + "/" + StoreLayout.ledger)
            if let complaint = try ledger.complaint(thorough: true) { throw StoreError.ledgerDamaged(complaint) }
            return try ListedFiles(ledger: ledger)
        } catch let error as StoreError where !error.isOfDisk {
            if !report.damaged.contains(StoreLayout.ledger) { report.damaged.append(StoreLayout.ledger) }
            return nil
        }
    }
}

/// What a rehearsal found.
package struct RehearsalReport: Sendable, Equatable {
    /// The state that was looked at, in seconds since 1970.
    package var time: UInt64
    /// Whose copy it is: 16 bytes; nil where its header cannot be read.
    package var hostSalt: [UInt8]?
    /// Objects of the state.
    package var objectCount = 0
    /// Objects and unfinished uploads that were fetched.
    package var fetchedObjectCount = 0
    package var byteCount: UInt64 = 0
    /// Files that are missing, or are not what the state's list says.
    package var damaged: [String] = []
}

/// A data directory for a moment: a state of a backup, and the objects that are asked for. Below the folder for
/// temporary files; all of it is sealed, and goes with the command.
package final class RehearsalStore: Sendable {
    private let scratch: ScratchFolder
    private let backup: any BackupSource
    private let time: UInt64
    private let digests: DigestList

    /// Of the data directory.
    package let path: String

    /// Blocking.
    /// - Parameter state: nil for the newest.
    package init(from place: BackupPlace, state: UInt64?) throws {
        scratch = try ScratchFolder()
        path = scratch.path + "/data"
        do {
            backup = try place.openExisting()
            time = try backup.state(state)
            digests = try backup.digests(of: time)
            _ = try Restoration(from: place, to: path).run(state: time, withObjects: false) { _, _ in }
        } catch {
            scratch.remove()
            throw error
        }
    }

    package func remove() { scratch.remove() }

    /// Blocking. Puts an object where a daemon would look for it; one that is missing from the backup stays away.
    package func fetch(_ id: ObjectID) throws {
        let root = try Folder.open(path: path)
        let file = BackupFile(id: id, isPart: false, digest: digests[id])
        guard let source = try backup.open(file, of: time) else { return }
        let copier = VerifiedCopy(root: root, pieceByteCount: backup.pieceByteCount)
        let shard = try ObjectFolders(root: root).shard(of: id)
        do {
            _ = try copier.copy(source, expecting: file.digest, keepsOther: true, to: id.hex, in: shard)
        } catch is VerifiedCopy.SourceUnreadable {}
    }
}

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
