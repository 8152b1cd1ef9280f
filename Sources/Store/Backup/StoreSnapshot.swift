import Glibc

/// Header, slots and ledger of a data directory as they were at one moment, while a daemon may be changing them.
///
/// Slots and ledger belong together: slots of before a change of key open nothing of the ledger of after it. The daemon
/// is not asked to hold still for that, for then a backup that hangs would keep everybody from changing a password.
/// Instead the slots are read once more when the ledger was copied: since every slot is sealed under a salt of its own,
/// those that are the same have not changed in between. Slots change seldom.
struct StoreSnapshot {
    private struct Fixed: Equatable {
        let header: HostHeader
        let slots: SlotImage
    }

    let source: Folder
    let sourcePath: String
    var mostAttempts = 20
    /// Before the slots are read once more; for tests, which change them then.
    var ledgerWasCopied: () throws -> Void = {}

    /// Writes the three files into the folder, which must not have them; they are on disk and checked on return.
    /// Throws `ledgerDamaged`, and `ioFailed` with EAGAIN when the slots would not stay as they are.
    /// - Returns: with the digests, how many slots the disk cannot read; random ones stand in their place.
    func take(into state: Folder, path: String) throws -> (digests: DigestList, unreadableSlotCount: Int) {
        for _ in 0..<mostAttempts {
            let slots = try state.open(StoreLayout.slots, O_RDWR | O_CREAT | O_TRUNC)
            var written: FileDigest?
            let before = try readFixed { file in
                let copied = try SlotImage.copying(file, to: slots)
                written = copied.written
                return copied.image
            }
            try copyLedger(into: state, path: path)
            try ledgerWasCopied()
            guard try readFixed({ try SlotImage(reading: $0) }) == before else { continue }
            try checkLedger(path: path)
            var digests = DigestList()
            // All copies of it are good here, whatever the disk has made of one.
            let header = try HeaderFile.bytes(of: before.header)
            digests[StoreLayout.header] = try write(header, StoreLayout.header, in: state)
            digests[StoreLayout.slots] = try settle(slots, as: written)
            let ledger = try state.open(StoreLayout.ledger, O_RDONLY)
            digests[StoreLayout.ledger] = try VerifiedCopy(root: state).readBack(ledger)
            return (digests, before.slots.unreadableSlotCount)
        }
        throw StoreError.ioFailed(operation: "copying slots that changed all the time", errno: EAGAIN)
    }

    private func readFixed(_ read: (OpenFile) throws -> SlotImage) throws -> Fixed {
        let file = try source.open(StoreLayout.slots, O_RDONLY)
        guard try file.byteCount() == UInt64(SlotTable.fileByteCount) else {
            throw StoreError.unusable("The file \(StoreLayout.slots) of \(sourcePath) has a wrong size.")
        }
        let slots = try read(file)
        guard slots.unreadableSlotCount < SlotTable.slotCount else { throw StoreError.failure("reading slots", EIO) }
        return Fixed(header: try HeaderFile.require(in: source, path: sourcePath), slots: slots)
    }

    private func copyLedger(into state: Folder, path: String) throws {
        for name in [StoreLayout.ledger, StoreLayout.ledgerWriteAheadLog] { try state.unlink(name) }
        guard DirectoryState.isReadOnly(sourcePath) else {
            return try LiveLedger(root: source, makesIndex: HeaderFile.takesNotes(source)).copy(
                into: state, path: path)
        }
        // Nobody writes there, and no file can be made beside the ledger.
        let working = try WorkingCopy(of: sourcePath)
        defer { working.remove() }
        try working.settleLedger()
        try LiveLedger(root: Folder.open(path: working.path)).copy(into: state, path: path)
    }

    private func checkLedger(path: String) throws {
        let copy = try ImmutableLedger.open(path: path + "/" + StoreLayout.ledger)
        if let complaint = try copy.complaint(thorough: true) { throw StoreError.ledgerDamaged(complaint) }
    }

    /// Past what the kernel remembers, where the file system lets go of it.
    private func settle(_ file: OpenFile, as written: FileDigest?) throws -> FileDigest {
        try file.synchronize()
        file.forgetCached()
        let digest = try VerifiedCopy(root: source).readBack(file)
        guard digest == written else { throw VerifiedCopy.Mismatch() }
        return digest
    }

    private func write(_ bytes: [UInt8], _ name: String, in folder: Folder) throws -> FileDigest {
        let file = try folder.open(name, O_RDWR | O_CREAT | O_TRUNC)
        try file.write(bytes, at: 0)
        return try settle(file, as: FileDigest(bytes: sha256(bytes)))
    }
}

/// Copies a file and reads back what was written before it gets its name, so that a file under its name is whole, on
/// disk, and what the source was. One copy at a time.
package final class VerifiedCopy {
    /// The bytes that came back are not those that were written, or none came back.
    package struct Mismatch: Error, CustomStringConvertible {
        package var description: String {
            "What was written did not come back from the disk as it was: the disk is failing."
        }
    }
    /// The source cannot be read.
    struct SourceUnreadable: Error {}

    struct Result {
        let digest: FileDigest
        let byteCount: UInt64
    }

    private let root: Folder
    private let incoming: String
    private let buffer: UnsafeMutableRawBufferPointer

    /// - Parameters:
    ///   - root: where a copy is written before it is moved to its place, on the same file system.
    ///   - worker: those that copy into one root at the same time have different numbers.
    init(root: Folder, worker: Int = 0, pieceByteCount: Int = 1 << 20) {
        self.root = root
        incoming = BackupLayout.incoming(worker)
        buffer = .allocate(byteCount: pieceByteCount, alignment: 4096)
    }

    deinit {
        buffer.deallocate()
    }

    /// The folder still has to be synced. A file of that name is replaced.
    /// - Parameters:
    ///   - expected: what it has to be, where that is known; who lies elsewhere is asked again for anything else
    ///   - keepsOther: whether something else is better than nothing, and does not count as unreadable
    func copy(
        _ source: some ByteSource, expecting expected: FileDigest? = nil, keepsOther: Bool = false, to name: String,
        in folder: Folder
    ) throws -> Result {
        try root.unlink(incoming)
        let target = try root.open(incoming, O_RDWR | O_CREAT | O_EXCL)
        do {
            let file = source as? OpenFile
            if let file { posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_SEQUENTIAL) }
            let written = try readable(source, expecting: expected) {
                try target.truncate(to: 0)
                return try digest(of: $0) { try target.write($0, at: $1) }
            }
            guard keepsOther || expected == nil || expected == written.digest else { throw SourceUnreadable() }
            try target.synchronize()
            // Past what the kernel remembers, where the file system lets go of it.
            target.forgetCached()
            file?.forgetCached()
            guard try readBack(target) == written.digest else { throw Mismatch() }
            // File systems of other worlds keep times as they like.
            try? ObjectFolders.hideTime(of: target)
            try root.rename(incoming, to: name, in: folder)
            return written
        } catch {
            _ = try? root.unlink(incoming)
            throw error
        }
    }

    /// Of what was written here; no fault of a source. Throws `Mismatch` when it cannot be read.
    func readBack(_ target: OpenFile) throws -> FileDigest {
        do {
            return try digest(of: target).digest
        } catch is SourceUnreadable {
            throw Mismatch()
        }
    }

    /// What is read of a source, which lies elsewhere perhaps and is asked again then: also where it was not there at all,
    /// since something names it. Throws `SourceUnreadable` when it never was.
    /// - Parameter expected: nil where nobody knows what it has to be
    func readable(
        _ source: some ByteSource, expecting expected: FileDigest?, _ read: (any ByteSource) throws -> Result
    ) throws -> Result {
        let found = try source.askingAgain { (source) -> Result? in
            do { return try read(source) } catch is SourceUnreadable { return nil }
        } until: { found in
            found.map { expected == nil || $0.digest == expected } ?? false
        }
        guard let found else { throw SourceUnreadable() }
        return found
    }

    /// Reads to the end. Throws `SourceUnreadable`, what `each` throws for a piece and its offset, and what a place
    /// elsewhere says that cannot be reached: nobody knows then what is there.
    func digest(
        of file: some ByteSource, each: (UnsafeRawBufferPointer, UInt64) throws -> Void = { _, _ in }
    ) throws -> Result {
        let found = try Source(base: file).digest(by: buffer, each: each)
        guard let digest = FileDigest(bytes: found.sha256) else { throw Mismatch() }
        return Result(digest: digest, byteCount: found.byteCount)
    }

    /// What fails in reading it is told apart from what fails in writing the copy.
    private struct Source<Base: ByteSource>: ByteSource {
        let base: Base

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
            do { return try base.read(into: buffer, at: offset) } catch is StoreError { throw SourceUnreadable() }
        }
    }
}
