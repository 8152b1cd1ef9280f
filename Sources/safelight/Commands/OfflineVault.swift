import Content
import Logging
import Printing
import Records
import Store
import Unlocking
import Vault
import Vaults

/// A data directory that no daemon uses, and in which vaults may be opened with their passwords.
struct OfflineStore {
    let service: VaultService
    private var copy: WorkingCopy?
    /// The bucket in which photos lie besides, and some of them alone.
    private var tier: Tier?

    private init(
        _ configuration: VaultConfiguration, copy: WorkingCopy? = nil, tier: Tier? = nil, cacheByteCount: UInt64? = nil
    ) async throws {
        var configuration = configuration
        configuration.limits.idleLock = .seconds(30 * 86_400)
        configuration.limits.absoluteLock = .seconds(30 * 86_400)
        configuration.beginsNewStore = false
        configuration.cover = .none
        var logger = Logger(label: "safelight")
        logger.logLevel = .error
        configuration.tier = tier.map { TierConfiguration($0.remote, cacheByteCount: cacheByteCount) }
        service = try await VaultService.start(configuration, logger: logger)
        self.copy = copy
        self.tier = tier
    }

    /// For what changes the data directory, and the bucket that it goes along to.
    static func open(_ settings: Settings) async throws -> OfflineStore {
        guard let tier = try await Tier.open(settings.objects) else { return try await OfflineStore(settings.vaults) }
        do {
            return try await OfflineStore(
                settings.vaults, tier: tier, cacheByteCount: settings.objects?.cacheByteCount)
        } catch {
            await tier.close()
            throw error
        }
    }

    /// For a data directory of a moment.
    static func open(_ configuration: VaultConfiguration) async throws -> OfflineStore {
        try await OfflineStore(configuration)
    }

    /// For what only reads: also from a disk that takes no writes, or fails to.
    static func openForReading(_ settings: Settings) async throws -> OfflineStore {
        let path = settings.vaults.dataPath
        if let objects = settings.objects {
            return try await openCopy(settings, because: "goes along to a bucket", Tier.forReading(objects))
        }
        guard !DirectoryState.isReadOnly(path) else {
            return try await openCopy(settings, because: "lies on a disk that can only be read")
        }
        guard !DirectoryState.isOnlyRead(path) else {
            return try await openCopy(settings, because: "has something that came with a later version")
        }
        do {
            return try await open(settings)
        } catch let failure as StartFailure where failure.isOfDisk {
            return try await openCopy(settings, because: "lies on a disk that takes no writes (\(failure))")
        }
    }

    private static func openCopy(
        _ settings: Settings, because reason: String, _ tier: Tier? = nil
    ) async throws -> OfflineStore {
        let path = settings.vaults.dataPath
        Terminal.show("The data directory \(reason). Photos are read from it; nothing there is changed.\n")
        let copy = try await StoreWork.run("Ledger") { _ in try WorkingCopy(of: path) }
        for note in copy.notes { Terminal.complain("\(note)") }
        var configuration = settings.vaults
        configuration.dataPath = copy.path
        configuration.originalPath = path
        configuration.reserveByteCount = 0
        do {
            return try await OfflineStore(configuration, copy: copy, tier: tier)
        } catch {
            copy.remove()
            await tier?.close()
            throw error
        }
    }

    func openVault(_ password: Password) async throws -> Session {
        try await service.open(password: password, client: Client(address: .unixSocket)).session
    }

    func close() async throws {
        defer { copy?.remove() }
        do {
            try await service.shutdown()
        } catch {
            await tier?.close()
            throw error
        }
        await tier?.close()
    }
}

/// One vault of a data directory that no daemon uses, opened with its password.
struct OfflineVault {
    let session: Session
    private let store: OfflineStore

    static func open(_ settings: Settings, password: Password) async throws -> OfflineVault {
        try await open(OfflineStore.openForReading(settings), password)
    }

    static func open(_ configuration: VaultConfiguration, password: Password) async throws -> OfflineVault {
        try await open(OfflineStore.open(configuration), password)
    }

    private static func open(_ store: OfflineStore, _ password: Password) async throws -> OfflineVault {
        do {
            return OfflineVault(session: try await store.openVault(password), store: store)
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// Everything was read by then: a disk that takes no writes any more is no failure of that.
    func close() async { try? await store.close() }

    /// Lines about what the vault has lost besides photos, whose names are lost with it. Which photos cannot be read is
    /// found by reading them: one that was damaged once may be whole again, in a restored copy of it for example.
    var lostEntries: [String] {
        guard let damage = session.damage else { return [] }
        var lines: [String] = []
        if damage.missingEntries > 0 {
            lines.append("DAMAGE \(damage.missingEntries) entries of this vault are missing")
        }
        if damage.isSetBack { lines.append("DAMAGE an entry of this vault was set back to an older state") }
        return lines
    }

    /// All photos, oldest first.
    func photos() async throws -> [Photo] {
        var photos: [Photo] = []
        var cursor: String?
        repeat {
            let page = try await session.photos.page(cursor: cursor)
            photos += page.photos
            cursor = page.cursor
        } while cursor != nil
        return photos.reversed()
    }
}
