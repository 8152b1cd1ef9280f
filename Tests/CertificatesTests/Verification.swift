import Crypto
import Foundation
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

@testable import Certificates

/// Whether a client that trusts `authority` takes `leaf`, by the rules of RFC 5280.
func isAccepted(_ leaf: Certificate, by authority: Certificate, at time: Date = SampleHost.start) async -> Bool {
    var verifier = Verifier(rootCertificates: CertificateStore([authority])) {
        RFC5280Policy(fixedExpiryValidationTime: time)
    }
    let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore())
    if case .validCertificate = result { return true }
    return false
}

extension Authority {
    /// What a thief of the authority's key could sign, whatever it may speak for.
    func forge(_ names: [GeneralName]) throws -> Certificate {
        let certificates = CertificateNames(
            dnsNames: names.compactMap { if case .dnsName(let name) = $0 { name } else { nil } },
            addresses: names.compactMap {
                if case .ipAddress(let octets) = $0 { IPAddress(bytes: octets.bytes)?.description } else { nil }
            })
        return try sign(
            .init(P256.Signing.PrivateKey().publicKey), names: SubjectNames(certificates),
            validity: Validity(now: SampleHost.start, lifetime: Validity.hostLifetime))
    }
}
