import Certificates
import Listener
import Logging
import Records

/// The certificate that connections are served with: the owner's own, or one below the host's own authority.
enum ServedCertificate: Sendable {
    case own(OwnCertificate)
    case host(HostCertificates)

    /// Ready to serve, unless the clock is wrong or the folder cannot be used, which the log says.
    /// - Throws: `CertificateError` for an own certificate that cannot be used.
    static func load(
        _ settings: Settings, names: @escaping @Sendable () -> CertificateNames,
        isClockTrusted: @escaping @Sendable () -> Bool, isClockProven: @escaping @Sendable () -> Bool, logger: Logger
    ) async throws -> ServedCertificate {
        if let files = settings.ownCertificate {
            return .own(
                try await OwnCertificate(
                    certificatePath: files.certificatePath, keyPath: files.keyPath, logger: logger))
        }
        let certificates = HostCertificates(
            folder: settings.certificateFolder, names: names, isClockTrusted: isClockTrusted,
            isClockProven: isClockProven, logger: logger)
        await certificates.prepare()
        return .host(certificates)
    }

    var source: any TLSSource {
        switch self {
        case .own(let certificate): certificate
        case .host(let certificates): certificates
        }
    }

    var facts: CertificateFacts? {
        switch self {
        case .own(let certificate): certificate.facts
        case .host(let certificates): certificates.facts
        }
    }

    /// Whether a device that trusts it takes this host by that name.
    func names(_ name: String) -> Bool {
        switch self {
        case .own(let certificate): certificate.names(name)
        case .host(let certificates): certificates.names(name)
        }
    }

    /// An authority of the host's own in place of the present one.
    /// - Throws: `CertificateError`, `StartFailure` where the owner brought a certificate.
    func renewAuthority() async throws {
        guard case .host(let certificates) = self else {
            throw StartFailure(description: "This host has a certificate that its owner gave it, and no authority.")
        }
        try await certificates.renewAuthority()
    }

    /// The owner has put other files in place.
    func reload() async {
        if case .own(let certificate) = self { await certificate.reload() }
    }

    func renewIfDue() async {
        if case .host(let certificates) = self { await certificates.renewIfDue() }
    }
}
