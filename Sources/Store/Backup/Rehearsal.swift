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
