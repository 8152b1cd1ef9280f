import Certificates
import Discovery
import Glibc
import Listener
import Logging
import Records
import Synchronization

/// How other devices find this daemon: what it listens on, and under which names and numbers this host is known.
final class HostFinding: Sendable {
    /// Where Avahi, which answers multicast DNS, takes requests.
    private static let avahiSocket = "/run/avahi-daemon/socket"

    private let configuredNames: [String]
    private let isCertificateOwn: Bool
    private let open = Mutex<[OpenPort]>([])

    init(configuredNames: [String], isCertificateOwn: Bool) {
        self.configuredNames = configuredNames
        self.isCertificateOwn = isCertificateOwn
    }

    var ports: [OpenPort] {
        get { open.withLock { $0 } }
        set { open.withLock { $0 = newValue } }
    }

    /// Asked of the system anew each time: addresses come and go.
    var names: HostNames { .current(configured: configuredNames) }

    /// What the certificate has to name.
    var certificateNames: CertificateNames {
        let names = names
        return CertificateNames(
            dnsNames: [names.hostname, names.dotLocal].compactMap(\.self), configuredNames: names.configured,
            addresses: names.addresses.map(\.text))
    }

    /// Complete URLs that another device can open, the best first.
    func addresses(for certificate: ServedCertificate) -> [String] {
        PageAddresses(
            ports: ports, names: names, isDotLocalAnswered: access(Self.avahiSocket, F_OK) == 0,
            isCertificateOwn: isCertificateOwn, isNamed: certificate.names
        ).urls
    }

    /// The port that other devices connect to; nil when none can.
    var port: Int? { ports.first { $0.scope != .thisHost }?.port }
}

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
