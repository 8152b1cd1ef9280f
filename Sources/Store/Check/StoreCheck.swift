import Foundation
import Glibc

/// Looks a data directory over without any key, for `safelight check`. Takes the lock and changes nothing.
package enum StoreCheck {
    /// `progress` gets the number of objects looked at and of all. Throws `inUse` while a daemon runs,
    /// `newerFormat`, `insecurePermissions`, and `unusable` when the path holds no store.
    package static func run(
        path: String, progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> [Finding] {
        let root = try DirectoryState.openExisting(path)
        let lock = try StoreLock.acquireIfPresent(in: root)
        defer { lock?.release() }
        var findings = try checkHeader(root, path)
        findings += try checkSlots(root)
        if try LedgerLogMark(root: root, path: path).isLogLost() {
            findings.append(
                .damage(
                    "The ledger's log (\(StoreLayout.ledgerWriteAheadLog)) is missing, and with it what was saved last. Put "
                        + "it back before the next start, if it is to be found."))
        }
        let ledger = try openLedger(root, path, &findings)
        findings += checkCopies(root, path)
        findings += try PreviewCheck.run(root, path)
        if let ledger { findings += try ObjectCheck(root: root, ledger: ledger).run(progress: progress) }
        if root.contains(StoreLayout.quarantine) {
            findings += try quarantineNotes(root.folder(StoreLayout.quarantine))
        }
        return findings
    }

    private static func checkHeader(_ root: Folder, _ path: String) throws -> [Finding] {
        let copies = try HeaderFile.copies(in: HeaderFile.requireFile(in: root, path: path))
        let header: HostHeader
        do {
            header = try HeaderFile.choose(copies)
        } catch {
            guard case .unusable(let reason) = error else { throw error }
            return [.damage(reason)]
        }
        return copies.enumerated().compactMap { index, copy in
            guard case .valid(let found) = copy else { return .damage("Header copy \(index) is damaged.") }
            return found == header ? nil : .note("Header copy \(index) is older; the next start renews it.")
        }
    }

    private static func checkSlots(_ root: Folder) throws -> [Finding] {
        guard try root.byteCount(of: StoreLayout.slots) == UInt64(SlotTable.fileByteCount) else {
            return [.damage("The slot file is missing or has a wrong size; passwords may open nothing.")]
        }
        let unreadable = try SlotImage(reading: root.open(StoreLayout.slots, O_RDONLY)).unreadableSlotCount
        guard unreadable > 0 else { return [] }
        return [.damage("\(unreadable) of \(SlotTable.slotCount) slots cannot be read; every password has twelve.")]
    }

    private static func openLedger(
        _ root: Folder, _ path: String, _ findings: inout [Finding]
    ) throws -> ImmutableLedger? {
        do {
            guard try root.byteCount(of: StoreLayout.ledger) ?? 0 > 0 else {
                throw StoreError.ledgerDamaged("it is missing or empty")
            }
            if let complaint = try LedgerHeader.complaint(in: root) { throw StoreError.ledgerDamaged(complaint) }
            let ledger = try UnchangedLedger.open(root, path)
            if let complaint = try ledger.complaint(thorough: true) { throw StoreError.ledgerDamaged(complaint) }
            return ledger
        } catch let error as StoreError where error.isForeignLedger {
            findings.append(.damage(error.description))
            return nil
        } catch StoreError.ledgerDamaged(let reason) {
            findings.append(.damage("The ledger is damaged (\(reason)); the next start uses a copy."))
            return nil
        }
    }

    private static func checkCopies(_ root: Folder, _ path: String) -> [Finding] {
        StoreLayout.ledgerCopies.compactMap { name in
            do {
                let copy = try ImmutableLedger.open(path: path + "/" + name)
                guard let complaint = try copy.complaint(thorough: true) else { return nil }
                return .damage("The ledger's copy \(name) is damaged (\(complaint)).")
            } catch StoreError.foreignLedger(let entries) {
                return .damage(
                    "The ledger's copy \(name) holds what Safelight never writes (\(entries)). Nothing of that was run."
                )
            } catch {
                return .damage("The ledger's copy \(name) cannot be read.")
            }
        }
    }

    private static func quarantineNotes(_ quarantine: Folder) throws -> [Finding] {
        try quarantine.names().compactMap { day in
            let count = try quarantine.folder(day).names().count
            return count == 0 ? nil : .note("\(count) unknown files wait in \(StoreLayout.quarantine)/\(day).")
        }
    }
}

/// Whether the file of small pictures is sound. Whatever is wrong with it is worth a note only: all of it is made again
/// from the photos.
enum PreviewCheck {
    static func run(_ root: Folder, _ path: String) throws -> [Finding] {
        guard try root.byteCount(of: StoreLayout.previews) ?? 0 > 0 else { return [] }
        // What the log of a daemon that was killed holds is not in the file yet, and reading it would change files.
        guard try root.byteCount(of: StoreLayout.previewsWriteAheadLog) ?? 0 == 0 else {
            return [.note("The previews were not closed; the next start takes up their log, then they can be checked.")]
        }
        guard let complaint = complaint(path) else { return [] }
        return [.note("The previews are damaged (\(complaint)); the daemon makes them again.")]
    }

    private static func complaint(_ path: String) -> String? {
        do {
            return try ImmutableLedger.open(
                path: path + "/" + StoreLayout.previews, expecting: PreviewDatabase.written
            ).complaintAboutPages()
        } catch {
            if case .foreignLedger(let entries) = error { return "they hold what Safelight never writes: \(entries)" }
            guard case .ledgerDamaged(let reason) = error else { return "\(error)" }
            return reason
        }
    }
}

/// Opens the ledger of a stopped store for looking, so that not a byte changes in the data directory.
enum UnchangedLedger {
    /// A log that was left by a crash holds commits that count. Merging it would change the ledger, so both files are
    /// then copied to a temporary folder (only sealed bytes are in them), which goes as soon as the copy is open.
    static func open(_ root: Folder, _ path: String) throws -> ImmutableLedger {
        guard try root.byteCount(of: StoreLayout.ledgerWriteAheadLog) ?? 0 > 0 else {
            return try ImmutableLedger.open(path: path + "/" + StoreLayout.ledger)
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-check-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in [StoreLayout.ledger, StoreLayout.ledgerWriteAheadLog] {
            try FileManager.default.copyItem(
                atPath: path + "/" + name, toPath: folder.appendingPathComponent(name).path)
        }
        return try ImmutableLedger.open(mergingLogOf: folder.appendingPathComponent(StoreLayout.ledger).path)
    }
}

/// One sentence of an offline check.
package struct Finding: Sendable, Equatable {
    package enum Severity: Sendable {
        /// Worth knowing; nothing is lost.
        case note
        /// Something is lost, or would be at the next fault.
        case damage
    }

    package var severity: Severity
    package var text: String

    static func note(_ text: String) -> Finding { Finding(severity: .note, text: text) }
    static func damage(_ text: String) -> Finding { Finding(severity: .damage, text: text) }
}
