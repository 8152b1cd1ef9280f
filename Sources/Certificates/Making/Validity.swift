import FoundationEssentials
import X509

/// From when until when a certificate counts.
struct Validity: Sendable, Equatable {
    static let day: TimeInterval = 86_400
    /// The most that every client accepts of a host certificate (Apple since 2020), in all.
    static let hostLifetime = 397 * day
    static let authorityLifetime = 3_653 * day

    let notBefore: Date
    let notAfter: Date

    /// Begins one day back, for devices whose clock is slow. Both ends count (RFC 5280, 4.1.2.5), hence the second.
    init(now: Date, lifetime: TimeInterval, noLongerThan limit: Date = .distantFuture) {
        let second = now.timeIntervalSince1970.rounded(.down)
        notBefore = Date(timeIntervalSince1970: second - Self.day)
        notAfter = min(notBefore.addingTimeInterval(lifetime - 1), limit)
    }

    init(of certificate: Certificate) {
        notBefore = certificate.notValidBefore
        notAfter = certificate.notValidAfter
    }

    func hasBegun(at now: Date) -> Bool { now >= notBefore }
    func hasEnded(at now: Date) -> Bool { now > notAfter }

    /// A third of the life is left, or less.
    func isAged(at now: Date) -> Bool {
        notAfter.timeIntervalSince(now) <= notAfter.timeIntervalSince(notBefore) / 3
    }
}
