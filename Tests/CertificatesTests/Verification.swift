import Bytes
import Foundation
import Signing
import SigningSupport

@testable import Certificates

/// Whether a client that trusts `authority` takes `leaf`, by the rules of RFC 5280.
func isAccepted(
    _ leaf: X509Certificate, by authority: X509Certificate, at time: Date = SampleHost.start
) throws -> Bool {
    try ClientJudgement(trusting: authority, at: time).accepts(leaf)
}

extension Authority {
    /// What a thief of the authority's key could sign, whatever it may speak for.
    func forge(_ names: [CertificateName], at time: Date = SampleHost.start) throws -> X509Certificate {
        var subject = SubjectNames.none
        for name in names {
            switch name {
            case .domain(let text): if let name = DNSName(text) { subject.append(name) }
            case .address(let bytes): if let address = IPAddress(bytes: bytes) { subject.append(address) }
            case .other: break
            }
        }
        return try sign(
            try P256PrivateKey(), names: subject, validity: Validity(now: time, lifetime: Validity.hostLifetime))
    }
}
