import Glibc

/// Header, slots and ledger of a data directory as they were at one moment, while a daemon may be changing them.
///
/// Slots and ledger belong together: slots of before a change of key open nothing of the ledger of after it. The daemon
/// is not asked to hold still for that, for then a backup that hangs would keep everybody from changing a password.
/// Instead the slots are read once more when the ledger was copied: since every slot is sealed under a salt of its own,
/// those that are the same have not changed in between. Slots change seldom.
struct StoreSnapshot {
    private static let mostAttempts = 20

    private struct Fixed: Equatable {
        let header: HostHeader
        let slots: SlotImage
    }

    let source: Folder
    let sourcePath: String
    /// Before the slots are read once more; for tests, which change them then.
    var ledgerWasCopied: () throws -> Void = {}

    /// Writes the three files into the folder, which must not have them; they are on disk and checked on return.
    /// Throws `ledgerDamaged`, and `ioFailed` with EAGAIN when the slots would not stay as they are.
    /// - Returns: with the digests, how many slots the disk cannot read; random ones stand in their place.
    func take(into state: Folder, path: String) throws -> (digests: DigestList, unreadableSlotCount: Int) {
        for _ in 0..<Self.mostAttempts {
            let before = try readFixed()
            try copyLedger(into: state, path: path)
            try ledgerWasCopied()
            guard try readFixed() == before else { continue }
            try checkLedger(path: path)
            var digests = DigestList()
            // All copies of it are good here, whatever the disk has made of one.
            let header = try HeaderFile.bytes(of: before.header)
            digests[StoreLayout.header] = try write(header, StoreLayout.header, in: state)
            digests[StoreLayout.slots] = try write(before.slots.filled(), StoreLayout.slots, in: state)
            let ledger = try state.open(StoreLayout.ledger, O_RDONLY)
            digests[StoreLayout.ledger] = try VerifiedCopy(root: state).readBack(ledger)
            return (digests, before.slots.unreadableSlotCount)
        }
        throw StoreError.ioFailed(operation: "copying slots that changed all the time", errno: EAGAIN)
    }

    private func readFixed() throws -> Fixed {
        let file = try source.open(StoreLayout.slots, O_RDONLY)
        guard try file.byteCount() == UInt64(SlotTable.fileByteCount) else {
            throw StoreError.unusable("The file \(StoreLayout.slots) of \(sourcePath) has a wrong size.")
        }
        let slots = try SlotImage(reading: file)
        guard slots.unreadableSlotCount < SlotTable.slotCount else { throw StoreError.failure("reading slots", EIO) }
        return Fixed(header: try HeaderFile.require(in: source, path: sourcePath), slots: slots)
    }

    private func copyLedger(into state: Folder, path: String) throws {
        for name in [StoreLayout.ledger, StoreLayout.ledgerWriteAheadLog] { try state.unlink(name) }
        guard DirectoryState.isReadOnly(sourcePath) else {
            return try LiveLedger(root: source).copy(into: state, path: path)
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

    private func write(_ bytes: [UInt8], _ name: String, in folder: Folder) throws -> FileDigest? {
        let file = try folder.open(name, O_RDWR | O_CREAT | O_TRUNC)
        try file.write(bytes, at: 0)
        try file.synchronize()
        posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        guard try file.bytes(at: 0, count: bytes.count + 1) == bytes else { throw VerifiedCopy.Mismatch() }
        return FileDigest(bytes: try sha256(bytes))
    }
}
