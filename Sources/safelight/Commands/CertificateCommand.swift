import ArgumentParser
import Certificates
import FoundationEssentials
import Vaults

struct CertificateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Prints the fingerprint that a new device shows, to compare; the daemon may be running.")

    @OptionGroup var options: StoreOptions

    @Flag(help: "Print the certificate itself, to install it on a device.")
    var pem = false

    func run() async throws {
        try await reportingFailures {
            let facts = try certificate(of: await options.settings())
            Terminal.print(pem ? String(facts.pem.dropLast()) : description(of: facts))
        }
    }

    private func certificate(of settings: Settings) throws -> CertificateFacts {
        if let files = settings.ownCertificate {
            return try CertificateFacts.own(certificatePath: files.certificatePath)
        }
        guard let facts = try CertificateFacts.authority(inFolder: settings.certificateFolder) else {
            throw StartFailure(
                description:
                    "There is no certificate in \(settings.certificateFolder). It is made at the first start of the daemon."
            )
        }
        return facts
    }

    private func description(of facts: CertificateFacts) -> String {
        let day = facts.notAfter.ISO8601Format().prefix(10)
        return ([facts.name] + facts.fingerprint.lines.map { "    \($0)" } + ["Valid until \(day)."])
            .joined(separator: "\n")
    }
}
