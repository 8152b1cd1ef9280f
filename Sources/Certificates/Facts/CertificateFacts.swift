package import FoundationEssentials
import SwiftASN1
import X509

/// What a person compares or installs: our authority's certificate, or the host certificate that the owner gave.
package struct CertificateFacts: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// The local authority: installed on a device once, it makes every later certificate of this host trusted.
        case authority
        /// The owner's own certificate; nothing is to be installed.
        case own
    }

    package let kind: Kind
    /// The subject's common name; empty where an own certificate has none.
    package let name: String
    /// The certificate as it is installed (`application/x-x509-ca-cert`).
    package let der: [UInt8]
    package let fingerprint: Fingerprint
    /// The last moment at which it is valid.
    package let notAfter: Date
    /// Domains of the Internet that an authority of an earlier version may speak for, such as `photos`, and that the
    /// owner does not call his own: whoever has its key can pose as every site below them to the devices that trust it.
    package var publicDomains: [String] = []
}

extension CertificateFacts {
    /// - Parameter configuredNames: names that the owner says are this host's
    init(kind: Kind, certificate: Certificate, configuredNames: [String] = []) throws {
        let permission = kind == .authority ? try NamePermission(of: certificate) : nil
        let der = try certificate.der()
        self.init(
            kind: kind, name: certificate.subject.commonName, der: der,
            fingerprint: Fingerprint(ofCertificate: der), notAfter: certificate.notValidAfter,
            publicDomains: permission?.publicDomains(besides: configuredNames) ?? [])
    }

    /// The same as `der`, as text (`application/x-pem-file`).
    package var pem: String { PEMDocument(type: Certificate.pemType, derBytes: der).pemString + "\n" }
}
