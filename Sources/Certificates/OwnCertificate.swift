import FoundationEssentials
package import Listener
package import Logging
package import NIOCore

/// A certificate and its key that the owner keeps in files of his own (PEM).
package final class OwnCertificate: TLSSource, Sendable {
    private let certificatePath: String

    package init(certificatePath: String, keyPath: String, logger: Logger) async throws(CertificateError) {
        self.certificatePath = certificatePath
        throw .noKey(path: keyPath)
    }

    /// Reads the files again. If they cannot be used, that is logged and the former pair stays.
    package func reload() async {}

    /// Of the first certificate in the file.
    package var facts: CertificateFacts {
        CertificateFacts(
            kind: .own, name: "", der: [], fingerprint: Fingerprint(bytes: []), notAfter: .distantPast)
    }

    package func offer(for local: SocketAddress?) -> TLSOffer { .unavailable }
}
