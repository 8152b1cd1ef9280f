import ArgumentParser
import Certificates
import FoundationEssentials
import Logging
import NIOCore
import NIOHTTP1
import Printing
import Records

struct CertificateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Prints the fingerprint that a new device shows, to compare; the daemon may be running.")

    @OptionGroup var options: StoreOptions

    @Flag(help: "Print the certificate itself, to install it on a device.")
    var pem = false

    @Flag(
        help: "Make a new authority in place of the present one, for good; every device has to install it then.")
    var renewAuthority = false

    func run() async throws {
        try await reportingFailures {
            let settings = try await options.settings()
            let facts = try certificate(of: settings)
            if renewAuthority {
                try await AuthorityRenewal(settings: settings).run()
                Terminal.print("The authority of this host is a new one:")
                Terminal.print(description(of: try certificate(of: settings)))
                Terminal.print(
                    "On every device that trusts the former one, remove \"\(facts.name)\"\nand install the new one, as the page shows."
                )
            } else {
                Terminal.print(pem ? PrintableText(lines: String(try facts.pem.dropLast())) : description(of: facts))
            }
        }
    }

    private func certificate(of settings: Settings) throws -> CertificateFacts {
        if let files = settings.ownCertificate {
            return try CertificateFacts.own(certificatePath: files.certificatePath)
        }
        let facts = try CertificateFacts.authority(
            inFolder: settings.certificateFolder, configuredNames: settings.hostNames)
        guard let facts else {
            throw StartFailure(
                description:
                    "There is no certificate in \(settings.certificateFolder). It is made at the first start of the daemon."
            )
        }
        return facts
    }

    private func description(of facts: CertificateFacts) -> PrintableText {
        let day = facts.notAfter.ISO8601Format().prefix(10)
        let lines: [PrintableText] =
            ["\(facts.name)"] + facts.fingerprint.lines.map { "    \($0)" } + ["Valid until \(day)."]
        let warning = facts.warning.map { PrintableText(lines: "\n\n" + $0) }
        return lines.joined(separator: "\n") + (warning ?? "")
    }
}

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
