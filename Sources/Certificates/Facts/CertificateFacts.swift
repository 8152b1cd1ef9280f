import Crypto
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

    /// The certificate as text (`application/x-pem-file`).
    package var pem: String { PEMDocument(type: Certificate.pemType, derBytes: der).pemString + "\n" }
}

/// The SHA-256 of a certificate in DER, as people compare it.
package struct Fingerprint: Sendable, Equatable {
    /// 32 of them.
    package let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(ofCertificate der: [UInt8]) {
        self.init(bytes: Array(SHA256.hash(data: der)))
    }

    /// `AB:CD:…`, 32 pairs, as browsers and `openssl x509 -fingerprint -sha256` show it.
    package var hex: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }

    /// Eight words, one for each of the first eight bytes: quicker to compare aloud than hexadecimal digits.
    package var words: [String] { bytes.prefix(8).map { FingerprintWords.all[Int($0)] } }
}
