import Certificates
import FoundationEssentials
import Logging
import NIOCore
import NIOHTTP1
import Records

/// A new authority for this host: made by the daemon where it runs, so that it serves it at once, else here.
struct AuthorityRenewal {
    let settings: Settings

    func run() async throws {
        guard settings.ownCertificate == nil else {
            throw StartFailure(
                description: "tls.certificate names the certificate of this host; it has no authority of its own.")
        }
        switch await ConsoleClient.ask(.POST, "/authority", dataPath: settings.vaults.dataPath) {
        case .answered(let status, let text): try report(status, text)
        case .silent(let reason): throw StartFailure(description: "Safelight does not answer (\(reason)).")
        case .notRunning: try await renew()
        }
    }

    private struct Problem: Decodable {
        let title: String
        let detail: String
    }

    private func report(_ status: UInt, _ text: ByteBuffer) throws {
        guard status != 200 else { return }
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(text.readableBytesView))
        throw StartFailure(description: problem.map { "\($0.title) \($0.detail)" } ?? "The daemon answered \(status).")
    }

    /// With the store open, so that no daemon uses the folder, and with its knowledge of the clock.
    private func renew() async throws {
        let store = try await OfflineStore.open(settings)
        let service = store.service
        let finding = HostFinding(configuredNames: settings.hostNames, isCertificateOwn: false)
        var logger = Logger(label: "safelight")
        logger.logLevel = .error
        let certificates = HostCertificates(
            folder: settings.certificateFolder, names: { finding.certificateNames },
            isClockTrusted: { service.isClockPlausible() }, isClockProven: { service.isClockProven() }, logger: logger)
        do {
            try await certificates.renewAuthority()
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
    }
}
