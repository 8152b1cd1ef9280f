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

    private init(_ configuration: VaultConfiguration, copy: WorkingCopy? = nil) async throws {
        var configuration = configuration
        configuration.limits.idleLock = .seconds(30 * 86_400)
        configuration.limits.absoluteLock = .seconds(30 * 86_400)
        configuration.beginsNewStore = false
        configuration.cover = .none
        var logger = Logger(label: "safelight")
        logger.logLevel = .error
        service = try await VaultService.start(configuration, logger: logger)
        self.copy = copy
    }

    /// For what changes the data directory.
    static func open(_ settings: Settings) async throws -> OfflineStore { try await OfflineStore(settings.vaults) }

    /// For a data directory of a moment.
    static func open(_ configuration: VaultConfiguration) async throws -> OfflineStore {
        try await OfflineStore(configuration)
    }

    /// For what only reads: also from a disk that takes no writes, or fails to.
    static func openForReading(_ settings: Settings) async throws -> OfflineStore {
        let path = settings.vaults.dataPath
        guard !DirectoryState.isReadOnly(path) else { return try await openCopy(settings, because: "can only be read") }
        do {
            return try await open(settings)
        } catch let failure as StartFailure where failure.isOfDisk {
            return try await openCopy(settings, because: "takes no writes (\(failure))")
        }
    }

    private static func openCopy(_ settings: Settings, because reason: String) async throws -> OfflineStore {
        let path = settings.vaults.dataPath
        Terminal.show("The disk of the data directory \(reason). Photos are read from it; nothing there is changed.\n")
        let copy = try await StoreWork.run("Ledger") { _ in try WorkingCopy(of: path) }
        for note in copy.notes { Terminal.complain("\(note)") }
        var configuration = settings.vaults
        configuration.dataPath = copy.path
        configuration.originalPath = path
        configuration.reserveByteCount = 0
        do {
            return try await OfflineStore(configuration, copy: copy)
        } catch {
            copy.remove()
            throw error
        }
    }

    func openVault(_ password: Password) async throws -> Session {
        try await service.open(password: password, client: Client(address: .unixSocket)).session
    }

    func close() async throws {
        defer { copy?.remove() }
        try await service.shutdown()
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
