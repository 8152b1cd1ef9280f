import Certificates
import Discovery
import Glibc
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
