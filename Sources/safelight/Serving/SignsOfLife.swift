import Logging
import ServiceLifecycle
import Store
import Threads
import Vaults

/// Tells whoever stands by that this host lives, as long as it serves without trouble and nobody has taken its place.
struct SignsOfLife: Service {
    let sign: TierSign
    /// Several of them come before anybody's patience ends.
    let pause: Duration
    let service: VaultService
    let logger: Logger

    func run() async throws {
        let pool = BlockingPool(name: "sign", threads: 1)
        try? await cancelWhenGracefulShutdown {
            while true {
                do {
                    try await pool.run { try service.lookForSuccessor() }
                    if await service.health().status != .fail { try await pool.run { try sign.give() } }
                } catch let error as StoreError {
                    logger.warning("no sign of life could be given", metadata: ["reason": "\(error)"])
                }
                try await Task.sleep(for: pause)
            }
        }
        await pool.shutdown()
    }
}
