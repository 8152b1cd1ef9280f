import Logging
import Vaults

/// A data directory that no daemon uses, and in which vaults may be opened with their passwords.
struct OfflineStore {
    let service: VaultService

    static func open(_ settings: Settings) async throws -> OfflineStore {
        var configuration = settings.vaults
        configuration.limits.idleLock = .seconds(30 * 86_400)
        configuration.limits.absoluteLock = .seconds(30 * 86_400)
        var logger = Logger(label: "safelight")
        logger.logLevel = .error
        return OfflineStore(service: try await VaultService.start(configuration, logger: logger))
    }

    func openVault(_ password: Password) async throws -> Session {
        try await service.open(password: password, client: Client(address: .unixSocket)).session
    }

    func close() async throws { try await service.shutdown() }
}

/// One vault of a data directory that no daemon uses, opened with its password.
struct OfflineVault {
    let session: Session
    private let store: OfflineStore

    static func open(_ settings: Settings, password: Password) async throws -> OfflineVault {
        let store = try await OfflineStore.open(settings)
        do {
            return OfflineVault(session: try await store.openVault(password), store: store)
        } catch {
            try? await store.close()
            throw error
        }
    }

    func close() async throws { try await store.close() }

    /// All photos, oldest first.
    func photos() async throws -> [Photo] {
        var photos: [Photo] = []
        var cursor: String?
        repeat {
            let page = try await session.photos(cursor: cursor)
            photos += page.photos
            cursor = page.cursor
        } while cursor != nil
        return photos.reversed()
    }
}
