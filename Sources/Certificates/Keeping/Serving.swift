import Bytes
import FoundationEssentials
import NIOSSL

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
