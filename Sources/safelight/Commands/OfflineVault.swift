import Logging
import Vaults

/// One vault of a data directory that no daemon uses, opened with its password.
struct OfflineVault {
    let session: Session
    fileprivate let service: VaultService

    static func open(_ settings: Settings, password: Password) async throws -> OfflineVault {
        var configuration = settings.vaults
        configuration.limits.idleLock = .seconds(30 * 86_400)
        configuration.limits.absoluteLock = .seconds(30 * 86_400)
        var logger = Logger(label: "safelight")
        logger.logLevel = .error
        let service = try await VaultService.start(configuration, logger: logger)
        do {
            let opening = try await service.open(password: password, client: Client(address: .unixSocket))
            return OfflineVault(session: opening.session, service: service)
        } catch {
            try? await service.shutdown()
            throw error
        }
    }

    func close() async throws { try await service.shutdown() }

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
