import Content
package import FoundationEssentials
import Glibc
import Logging
package import Records
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

/// What opening or creating a vault gives.
package struct Opening: Sendable {
    package let session: Session
    /// The value of the session cookie: 43 characters of base64url, known to nobody else and stored nowhere.
    package let token: String
    /// The value of the cookie `safelight-device`: it gives this device a lane of its own in the throttle, and opens
    /// nothing.
    package let deviceCookie: String
    /// What became of the guest's photos; nil when no guest was to move in, or it could not.
    package let migration: Migration?
    /// Why the guest could not move in; its space is as it was.
    package let migrationRefusal: VaultError?
    /// The recovery code of a vault that was made with one; shown this once.
    package var recoveryCode: String?
}

/// What may go with the opening of a vault.
package struct OpeningOptions: Sendable {
    /// Keep the session beyond idleness and restarts, until its last day.
    package var keep: Bool
    /// From which the vault is opened.
    package var device: DeviceKind
    /// Whose photos move in.
    package var guest: Session?
    /// Why they cannot, where there is a guest that could not be taken up.
    package var refusal: VaultError?

    package init(
        keep: Bool = false, device: DeviceKind = DeviceKind(), guest: Session? = nil, refusal: VaultError? = nil
    ) {
        self.keep = keep
        self.device = device
        self.guest = guest
        self.refusal = refusal
    }
}

/// What beginning as a guest gives.
package struct GuestOpening: Sendable {
    package let session: Session
    /// The value of the guest's cookie. Only it opens the space again.
    package let token: String
}

/// One browser or program that has a vault open, or can open it again by a cookie, as the others in it see it.
package struct OpenSession: Equatable, Sendable {
    /// Means something to the session that asked, and to no other.
    package let id: String
    package let openedAt: Date
    /// Nil for a program that sends the password with each request.
    package let device: DeviceKind?
    /// The one that asks.
    package let isCurrent: Bool
    /// When one ends that outlives idleness and restarts; nil for others.
    package let end: Date?
}

extension VaultService {
    /// Those of this session's vault, the newest first; of no other vault, and no guest's.
    /// - Throws: `sessionEnded`, `vaultNeeded`.
    package func openSessions(of session: Session) throws -> [OpenSession] {
        let vault = try requireOwnVault(session)
        let kept = vault.keptSessions.filter { $0.lastDay >= vault.store.today }
        let live = sessions.all(of: vault.uid).filter { $0.isOpen }
        let revived = Set(live.compactMap { $0.kept?.id })
        let sleeping = kept.filter { !revived.contains($0.id) }
        return
            (live.map { describe($0, kept, to: session) } + sleeping.map { describe($0, to: session) })
            .sorted { ($0.openedAt, $0.id) > ($1.openedAt, $1.id) }
    }

    private func describe(_ other: Session, _ kept: [KeptSession], to session: Session) -> OpenSession {
        let row = kept.first { $0.id == other.kept?.id }
        return OpenSession(
            id: session.handle(Self.number(of: other, row)), openedAt: row?.openedAt ?? other.openedAt,
            device: row?.device ?? other.device, isCurrent: other === session, end: other.end)
    }

    private func describe(_ kept: KeptSession, to session: Session) -> OpenSession {
        OpenSession(
            id: session.handle(Self.number(of: kept)), openedAt: kept.openedAt, device: kept.device, isCurrent: false,
            end: Date(timeIntervalSince1970: (Double(kept.lastDay) + 1) * 86_400))
    }

    /// Ends one of them, over restarts too; may be the one that asks.
    /// - Throws: `noSuchSession`, also for one that has ended meanwhile; as `lock`.
    package func end(_ id: String, of session: Session) async throws {
        let vault = try requireOwnVault(session)
        guard let number = try? session.serial(id) else { throw VaultError.noSuchSession }
        let kept = vault.keptSessions.first { Self.number(of: $0) == number }
        let live = sessions.all(of: vault.uid).first { other in
            kept.map { $0.id == other.kept?.id } ?? (other.number == number)
        }
        if let live { return try await lock(live) }
        guard let kept else { throw VaultError.noSuchSession }
        try await translating { [self] in try await registry.revoke(vault) { $0.id == kept.id } }
    }

    /// What their handles are made of: out of the way of photos' serials, and told apart from each other.
    private static func number(of session: Session, _ kept: KeptSession?) -> UInt64 {
        kept.map(number) ?? session.number
    }

    private static func number(of kept: KeptSession) -> UInt64 { 1 << 63 | kept.rowNumber }
}
