import Bytes
import FoundationEssentials
import NIOSSL

/// Decides what a new connection gets. Pure: the times are passed in.
struct OfferState: Sendable {
    enum Decision {
        case serve(NIOSSLContext)
        /// The certificate will do, and a new one is due.
        case serveAndRenew(NIOSSLContext)
        case wait
        case refuse(CertificateError)
    }

    /// After a failure. Connections come at any rate; the disk is not asked at theirs.
    static let pause: Duration = .seconds(10)
    /// A host has few addresses that it does not know of itself; a router for whole networks has any number.
    static let learnedLimit = 32

    private(set) var serving: Serving?
    private(set) var kept = Kept()
    private(set) var facts: CertificateFacts?
    private(set) var learned: [IPAddress] = []
    private var failure: CertificateError?
    private var resting: Duration?
    private var isRenewing = false

    mutating func decide(for local: IPAddress?, now: Date, uptime: Duration) -> Decision {
        if let resting, uptime < resting { return decideWhileResting() }
        guard let serving else { return .wait }
        if let local, serving.lacks(local), mayLearn(local) { return .wait }
        if serving.isOutOfDate(at: now) { return .wait }
        guard serving.isDue(at: now), !isRenewing else { return .serve(serving.context) }
        isRenewing = true
        return .serveAndRenew(serving.context)
    }

    private func decideWhileResting() -> Decision {
        if let serving { return .serve(serving.context) }
        return .refuse(failure ?? .notMade(reason: "it failed a moment ago"))
    }

    private func mayLearn(_ address: IPAddress) -> Bool {
        learned.contains(address) || learned.count < Self.learnedLimit
    }

    /// An address at which a connection arrived.
    mutating func learn(_ address: IPAddress) {
        if !address.isUnspecified, !learned.contains(address), mayLearn(address) { learned.append(address) }
    }

    mutating func publish(_ kept: Kept, serving: Serving?, facts: CertificateFacts?) {
        self.kept = kept
        self.serving = serving
        self.facts = facts
    }

    mutating func succeed() {
        failure = nil
        resting = nil
        isRenewing = false
    }

    /// Returns whether this is news. A wrong clock, while there is nothing to serve, is looked at again by the very next
    /// connection: the certificate is wanted as soon as the clock is right.
    mutating func fail(_ error: CertificateError, uptime: Duration) -> Bool {
        let isNews = failure != error
        failure = error
        isRenewing = false
        if case .clockWrong = error, serving == nil { resting = nil } else { resting = uptime + Self.pause }
        return isNews
    }
}

/// What connections are served with, and what is known of it without looking anything up.
struct Serving: Sendable {
    let context: NIOSSLContext
    let names: SubjectNames
    let validity: Validity
    /// Nil when the authority is lost: its last host certificate is served until a new one can be made.
    let authority: AuthorityLimits?

    struct AuthorityLimits: Sendable {
        let permission: NamePermission
        let validity: Validity
    }

    init?(_ kept: Kept) throws {
        guard let host = kept.host else { return nil }
        context = try host.context(with: kept.authority)
        names = host.names
        validity = host.validity
        authority = kept.authority.map { AuthorityLimits(permission: $0.permission, validity: $0.validity) }
    }

    /// Whether the host has an address here that only a new certificate can name.
    func lacks(_ address: IPAddress) -> Bool {
        guard let authority, !address.isUnspecified else { return false }
        return authority.permission.permits(address) && !names.contains(address)
    }

    func isDue(at now: Date) -> Bool {
        guard let authority else { return true }
        return Renewal.isDue(validity, authority: authority.validity, now: now)
    }

    /// Whether clients refuse it at this time.
    func isOutOfDate(at now: Date) -> Bool { validity.hasEnded(at: now) || !validity.hasBegun(at: now) }
}
