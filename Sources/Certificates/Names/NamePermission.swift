import Bytes
import SwiftASN1
import X509

/// The names and addresses that the authority may speak for, fixed when it is made. Whoever trusts it so trusts it for
/// this host and for private networks, not for the Internet.
struct NamePermission: Sendable, Equatable {
    let domains: [DNSName]
    let networks: [IPNetwork]

    /// For a new authority: its names, every private range, and what is global of the present addresses.
    init(for names: SubjectNames) {
        domains = names.dnsNames
        var networks = IPNetwork.local
        for address in names.addresses where !networks.contains(where: { $0.contains(address) }) {
            networks.append(.household(of: address))
        }
        self.networks = networks
    }

    /// Nil for a certificate that is not bound to names.
    init?(of certificate: Certificate) throws {
        guard let constraints = try certificate.extensions.nameConstraints else { return nil }
        domains = constraints.permittedDNSDomains.compactMap { DNSName($0) }
        networks = constraints.permittedIPRanges.compactMap { IPNetwork(constraint: $0.bytes) }
        guard !domains.isEmpty, !networks.isEmpty else { return nil }
    }

    var constraints: NameConstraints {
        NameConstraints(
            permittedDNSDomains: domains.map(\.text),
            permittedIPRanges: networks.map { ASN1OctetString(contentBytes: $0.constraint[...]) })
    }

    /// Of the domains, those that others may have on the Internet, or may have names under. No new authority gets any.
    /// - Parameter configuredNames: names that the owner says are this host's
    func publicDomains(besides configuredNames: [String]) -> [String] {
        let own = configuredNames.compactMap { DNSName($0) }.filter { !$0.isPublicDomain }
        return domains.filter { $0 != .localhost && !$0.isPrivate && !own.contains($0) }.map(\.text)
    }

    func permits(_ name: DNSName) -> Bool { domains.contains { name.isWithin($0) } }
    func permits(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }
}
