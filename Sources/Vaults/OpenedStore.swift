import Content
import Glibc
import Logging
import Records
import Sealing
import Store
import Unlocking

/// The store of a starting daemon, with the key derivation that its header demands. Blocking.
struct OpenedStore {
    let store: Store
    let record: KDFRecord
    let pepper: SharedSecret?
    let report: StartupReport

    init(_ configuration: VaultConfiguration, logger: Logger) throws {
        // Before anything else: a host that cannot lock memory would hold keys that may be swapped out.
        _ = try SecretBytes(random: 32)
        let pepper = try Self.readPepper(configuration.pepperPath)
        var opening = configuration.store(logger)
        opening.accepts = { _ = try Self.record(of: $0, configuration, pepper: pepper) }
        let (store, report) = try Store.open(opening) { try Self.newHeader(configuration, pepper: pepper) }
        do {
            record = try Self.record(of: store.header, configuration, pepper: pepper)
        } catch {
            _ = try? store.close()
            throw error
        }
        self.store = store
        self.report = report
        self.pepper = record.pepperCheck == nil ? nil : pepper
        Self.log(report, at: configuration.dataPath, logger)
    }

    private static func newHeader(_ configuration: VaultConfiguration, pepper: SharedSecret?) throws -> HostHeader {
        let check = try pepper.map { try KDFRecord.check(ofPepper: $0.bytes) }
        let record =
            if let cheap = configuration.unsafeKDF {
                KDFRecord(iterations: cheap.iterations, memoryKiB: cheap.memoryKiB, pepperCheck: check)
            } else {
                KDFRecord(
                    iterations: Calibration.iterations,
                    memoryKiB: try Calibration.memoryKiB(availableKiB: AvailableMemory.kiB()), pepperCheck: check)
            }
        try record.validate(unsafe: configuration.unsafeKDF != nil)
        return HostHeader(
            formatVersion: HostHeader.supportedFormatVersion, sequence: 1, createdDay: StoreConfiguration.systemDay(),
            hostSalt: try randomBytes(HostHeader.hostSaltByteCount), kdfRecords: [record.encoded])
    }

    private static func record(
        of header: HostHeader, _ configuration: VaultConfiguration, pepper: SharedSecret?
    ) throws -> KDFRecord {
        guard header.kdfRecords.count == 1, let bytes = header.kdfRecords.first else {
            throw StartFailure(
                description:
                    "The data directory uses a key derivation that this version does not know. Nothing was changed.")
        }
        let record = try KDFRecord(encoded: bytes)
        do {
            try record.validate(unsafe: configuration.unsafeKDF != nil)
        } catch {
            throw StartFailure(
                description:
                    "The key derivation of this data directory is outside the safe bounds (made for tests?). Nothing was changed."
            )
        }
        guard let check = record.pepperCheck else { return record }
        guard let pepper else {
            throw StartFailure(
                description: "This data directory needs its pepper file (key pepper.file). Nothing was changed.")
        }
        guard try KDFRecord.check(ofPepper: pepper.bytes) == check else {
            throw StartFailure(
                description: "The pepper file is not the one of this data directory. Nothing was changed.")
        }
        return record
    }

    private static func readPepper(_ path: String?) throws -> SharedSecret? {
        guard let path else { return nil }
        guard var bytes = SmallFile.read(path, limit: 32), bytes.count == 32 else {
            throw StartFailure(description: "The pepper file must be readable and hold exactly 32 bytes.")
        }
        defer { wipe(&bytes) }
        return SharedSecret(try SecretBytes(copying: bytes))
    }

    private static func log(_ report: StartupReport, at path: String, _ logger: Logger) {
        if report.created {
            let advice = "If there were vaults, they lie elsewhere, or on a disk that is not mounted."
            logger.warning(
                "a NEW, EMPTY data directory was made, since nothing was there. \(advice)",
                metadata: ["path": "\(path)"])
        }
        if let restored = report.ledgerRestoredFromCopy {
            logger.error(
                "the ledger was damaged or missing; its copy is used",
                metadata: [
                    "copyDay": "\(restored.day)", "movedAside": "\(report.movedAside.joined(separator: " "))",
                    "quarantinedObjects": "\(report.quarantined)",
                ])
        }
        if report.isLedgerLogLost {
            let advice = "It can be put back only together with the ledger of before this start."
            logger.error(
                "the ledger's log (ledger.sqlite-wal) is gone: what was saved last before the daemon ended is LOST. \(advice)",
                metadata: ["path": "\(path)", "quarantinedObjects": "\(report.quarantined)"])
        }
        if report.healedHeaderCopies > 0 {
            logger.warning("header copies healed", metadata: ["count": "\(report.healedHeaderCopies)"])
        }
        if report.missingObjects > 0 {
            logger.error("objects are missing", metadata: ["count": "\(report.missingObjects)"])
        }
        logger.info(
            "store opened",
            metadata: [
                "quarantined": "\(report.quarantined)", "unlinked": "\(report.unlinkedDoomed)",
                "wipedSlots": "\(report.wipedSlots)",
            ])
        for note in report.notes { logger.notice("\(note)") }
    }
}

extension VaultConfiguration {
    fileprivate func store(_ logger: Logger) -> StoreConfiguration {
        var store = StoreConfiguration(
            path: dataPath, reserveByteCount: reserveByteCount, note: { logger.warning("\($0)") }, today: today)
        store.originalPath = originalPath
        if coversLittle {
            store.fillsSlots = false
            store.filesMadeAtOnce = 1
            store.coverRowCount = StoreConfiguration.coverRowCounts.lowerBound
        }
        store.beginsNewStore = beginsNewStore
        store.tier = tier
        store.knownPlaces = knownPlacesPath.map { KnownPlaces(folder: $0) }
        return store
    }

    /// Why nothing is there, and none is to be made; nil where a start makes sense. Blocking.
    package var absence: String? { StorePresence.absence(store(Logger(label: "safelight"))) }

    /// Whether what was waited for is there, and whole enough for a start. Blocking.
    package var hasCome: Bool { absence == nil && !StorePresence.isComing(to: dataPath) }
}
