import Bytes
import Glibc

/// Makes a data directory of the newest snapshot in a bucket. What came behind it, its opening takes from the log; the
/// objects stay in the bucket.
package struct TierRestoration {
    private let remote: any RemoteObjects
    private let targetPath: String

    package init(from remote: any RemoteObjects, to target: String) {
        self.remote = remote
        targetPath = target
    }

    /// Whether nothing is there yet, or a restoration that was cut off.
    package static func isNeeded(at path: String) throws -> Bool {
        guard access(path, F_OK) == 0 else { return true }
        let root = try DirectoryState.openExisting(path)
        return try root.contains(StoreLayout.restoring) || DirectoryState.inspect(root, path: path) == .empty
    }

    /// Blocking. Can be interrupted and run again.
    /// - Parameter progress: gets pieces of slots done and all
    /// - Throws: `unusable` for a target that is not empty, and where the bucket has nothing that is whole.
    package func run(progress: (_ done: Int, _ of: Int) -> Void) throws {
        try ObjectTier.reaching {
            let target = try RestorationTarget.open(targetPath)
            defer { target.lock.release() }
            guard let epoch = try TierSnapshot.epochs(in: remote).first else {
                throw StoreError.unusable("The bucket holds no data directory at \(remote.place).")
            }
            let digests = try digests(of: epoch)
            let copier = VerifiedCopy(root: target.folder)
            try restoreLedger(epoch, digests, copier, to: target.folder)
            try restoreSlots(epoch, digests, to: target.folder, progress)
            try ObjectFolders.create(in: target.folder)
            try target.folder.synchronize()
            let header = try copy(
                TierSnapshot.Name.header, of: epoch, digests, copier, to: StoreLayout.header, target.folder)
            guard header else { throw damaged(TierSnapshot.Name.header) }
            try target.finish()
        }
    }

    private func digests(of epoch: UInt64) throws -> [String: FileDigest] {
        let name = LogNames.snapshot(epoch) + TierSnapshot.Name.complete
        var digests: [String: FileDigest] = [:]
        DigestLines.forEach(try remote.readAsPut(name, atMost: 4096) ?? []) { digests[$1] = $0 }
        guard !digests.isEmpty else { throw damaged(TierSnapshot.Name.complete) }
        return digests
    }

    /// False when it is not what the snapshot says.
    private func copy(
        _ name: String, of epoch: UInt64, _ digests: [String: FileDigest], _ copier: VerifiedCopy, to target: String,
        _ folder: Folder
    ) throws -> Bool {
        let source = RemoteFile(remote: remote, name: LogNames.snapshot(epoch) + name)
        do {
            _ = try copier.copy(source, expecting: digests[name], to: target, in: folder)
            return digests[name] != nil
        } catch is VerifiedCopy.SourceUnreadable {
            return false
        }
    }

    private func restoreLedger(
        _ epoch: UInt64, _ digests: [String: FileDigest], _ copier: VerifiedCopy, to target: Folder
    ) throws {
        try LedgerSuccession.clear(in: target)
        let name = TierSnapshot.Name.ledger
        guard try copy(name, of: epoch, digests, copier, to: StoreLayout.newLedger, target),
            try LedgerSuccession.complaint(path: targetPath, from: "the snapshot in the bucket") == nil
        else { throw damaged(name) }
        let ledger = try target.open(StoreLayout.newLedger, O_RDONLY)
        for copy in StoreLayout.ledgerCopies { _ = try copier.copy(ledger, to: copy, in: target) }
        try LedgerSuccession.takePlace(in: target)
    }

    private func restoreSlots(
        _ epoch: UInt64, _ digests: [String: FileDigest], to target: Folder,
        _ progress: (_ done: Int, _ of: Int) -> Void
    ) throws {
        let name = TierSnapshot.Name.slots
        let count = SlotTable.fileByteCount / TierSnapshot.slotBlockByteCount
        let list = try remote.readWhole(LogNames.snapshot(epoch) + name, of: count * 32, digest: digests[name])
        guard let list else { throw damaged(name) }
        let file = try target.open(StoreLayout.slots, O_RDWR | O_CREAT | O_TRUNC)
        var done = 0
        progress(done, count)
        let fetch: @Sendable (Int) throws -> Void = { [remote] index in
            let digest = Array(list[index * 32..<index * 32 + 32])
            let byteCount = TierSnapshot.slotBlockByteCount
            let block = try remote.readWhole(
                TierSnapshot.blockName(digest), of: byteCount, digest: FileDigest(bytes: digest))
            guard let block else { throw StoreError.objectUnreadable }
            try file.write(block, at: UInt64(index * byteCount))
        }
        try SideBySide.run(
            Array(0..<count), threads: remote.concurrency, worker: { _ in fetch },
            each: { _, _ in
                done += 1
                progress(done, count)
            })
        try file.synchronize()
    }

    private func damaged(_ name: String) -> StoreError {
        .unusable(
            "The snapshot in the bucket is damaged (\(name)). If the host that wrote it is still there, start it: it writes "
                + "another one in time. Otherwise restore a backup.")
    }
}
