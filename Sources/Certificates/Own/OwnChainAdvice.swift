import FoundationEssentials
import X509

/// What to say about an own certificate that can be served, though clients may refuse it.
enum OwnChainAdvice {
    /// How long before its end a certificate is spoken of.
    private static let noticeDays = 14.0

    /// - Parameter chain: the host's own certificate first
    static func warnings(about chain: [Certificate], path: String, now: Date) throws -> [String] {
        guard let own = chain.first else { return [] }
        var warnings: [String] = []
        let validity = Validity(of: own)
        let last = validity.notAfter.ISO8601Format()
        if validity.hasEnded(at: now) {
            warnings.append("the certificate in \(path) has expired (\(last)); browsers refuse it")
        } else if validity.hasEnded(at: now.addingTimeInterval(noticeDays * Validity.day)) {
            warnings.append("the certificate in \(path) expires soon (\(last))")
        }
        if !validity.hasBegun(at: now) {
            warnings.append(
                "the certificate in \(path) is not valid before \(validity.notBefore.ISO8601Format()); "
                    + "is this host's clock right?")
        }
        if try own.extensions.subjectAlternativeNames?.isEmpty ?? true {
            warnings.append("the certificate in \(path) names no host (subjectAltName); browsers refuse it")
        }
        if !isInOrder(chain) {
            warnings.append("the certificates in \(path) do not stand in order: each must be followed by its issuer")
        }
        return warnings
    }

    private static func isInOrder(_ chain: [Certificate]) -> Bool {
        zip(chain, chain.dropFirst()).allSatisfy { $0.issuer == $1.subject }
    }
}
