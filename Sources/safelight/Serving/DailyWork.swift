import ServiceLifecycle
import Vaults

/// Copies of the ledger, expiry, the reserve, the certificate: once a day.
struct DailyWork: Service {
    let service: VaultService
    let certificate: ServedCertificate

    func run() async throws {
        await service.inspectCopies()
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(86_400))
                await service.runDailyWork()
                await certificate.renewIfDue()
            }
        }
    }
}
