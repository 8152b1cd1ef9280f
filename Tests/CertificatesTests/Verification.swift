import Bytes
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
    func forge(_ names: [GeneralName], at time: Date = SampleHost.start) throws -> Certificate {
        var subject = SubjectNames.none
        for name in names {
            switch name {
            case .dnsName(let text): if let name = DNSName(text) { subject.append(name) }
            case .ipAddress(let octets): if let address = IPAddress(bytes: octets.bytes) { subject.append(address) }
            default: break
            }
        }
        return try sign(
            .init(P256.Signing.PrivateKey().publicKey), names: subject,
            validity: Validity(now: time, lifetime: Validity.hostLifetime))
    }
}
