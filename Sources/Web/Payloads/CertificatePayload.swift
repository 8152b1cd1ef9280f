import Certificates

/// What a person compares before trusting this host.
struct CertificatePayload: Encodable {
    let kind: String
    let name: String
    let fingerprint: String
    let words: [String]
    let notAfter: String
    let secure: Bool
    /// Whether an authority may speak for more than its host; nobody should install it.
    let broad: Bool

    init(_ facts: CertificateFacts, secure: Bool) {
        kind = facts.kind.rawValue
        name = facts.name
        fingerprint = facts.fingerprint.hex
        words = facts.fingerprint.words
        notAfter = CivilTime(facts.notAfter).rfc3339
        self.secure = secure
        broad = !facts.publicDomains.isEmpty
    }
}
