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
