import Bytes
import SwiftASN1
import X509

/// The names and addresses that a host certificate speaks for, each once, in a stable order.
struct SubjectNames: Sendable, Equatable {
    /// A certificate travels with every handshake; a host with more addresses is rather a router.
    static let limit = 100

    private(set) var dnsNames: [DNSName] = []
    private(set) var addresses: [IPAddress] = []
    /// What the host is called, also where that is no name to vouch for; nil where nobody gave it one.
    private(set) var title: DNSName?
    /// Names that somebody relies on and that are not in here, because no authority of a home may speak for them.
    private(set) var leftOut: [String] = []

    static let none = SubjectNames()

    private init() {}

    /// `localhost` and the loopback addresses come on their own. Configured "names" may be addresses.
    init(_ names: CertificateNames, and extra: some Sequence<IPAddress> = []) {
        // A bare name is called `<name>.local` besides, and nobody misses it.
        for text in names.dnsNames { append(text, isMissed: text.contains(".")) { $0.isPrivate } }
        for text in names.configuredNames { append(text, isMissed: true) { $0.isPrivate || !$0.isPublicDomain } }
        append(.localhost)
        for address in IPAddress.loopback { append(address) }
        // Before the others, so that the limit does not cut off what a connection waits for.
        for address in extra { append(address) }
        for text in names.addresses { if let address = IPAddress(text) { append(address) } }
    }

    /// What a certificate speaks for.
    init(of certificate: Certificate) throws {
        guard let names = try certificate.extensions.subjectAlternativeNames else { return }
        for name in names {
            switch name {
            case .dnsName(let text): if let name = DNSName(text) { append(name) }
            case .ipAddress(let octets): if let address = IPAddress(bytes: octets.bytes) { append(address) }
            default: break
            }
        }
    }

    /// An address, a name that is the host's, or one that is not.
    private mutating func append(_ text: String, isMissed: Bool, if isOurs: (DNSName) -> Bool) {
        if let address = IPAddress(text) { return append(address) }
        let name = DNSName(text)
        title = title ?? name.flatMap { $0 == .localhost ? nil : $0 }
        if let name, isOurs(name) { return append(name) }
        if isMissed, !leftOut.contains(text) { leftOut.append(text) }
    }

    /// The first name that a certificate speaks for; nil where it has none besides `localhost`.
    var hostName: DNSName? { dnsNames.first { $0 != .localhost } }

    var generalNames: [GeneralName] {
        dnsNames.map { .dnsName($0.text) }
            + addresses.map { .ipAddress(ASN1OctetString(contentBytes: $0.bytes[...])) }
    }

    func contains(_ address: IPAddress) -> Bool { addresses.contains(address) }

    /// What is in here and not in `other`, for people.
    func missing(in other: SubjectNames) -> [String] {
        dnsNames.filter { !other.dnsNames.contains($0) }.map(\.text)
            + addresses.filter { !other.addresses.contains($0) }.map(\.description)
    }

    func permitted(by permission: NamePermission) -> SubjectNames {
        filtered(names: permission.permits, addresses: permission.permits)
    }

    func denied(by permission: NamePermission) -> SubjectNames {
        filtered(names: { !permission.permits($0) }, addresses: { !permission.permits($0) })
    }

    private func filtered(names: (DNSName) -> Bool, addresses: (IPAddress) -> Bool) -> SubjectNames {
        var filtered = self
        filtered.dnsNames = dnsNames.filter(names)
        filtered.addresses = self.addresses.filter(addresses)
        return filtered
    }

    mutating func append(_ name: DNSName) {
        if dnsNames.count < Self.limit, !dnsNames.contains(name) { dnsNames.append(name) }
    }

    mutating func append(_ address: IPAddress) {
        guard addresses.count < Self.limit, !address.isUnspecified, !addresses.contains(address) else { return }
        addresses.append(address)
    }
}

/// What this host is reached by at this moment: what its certificate has to name.
package struct CertificateNames: Sendable, Equatable {
    /// What the system calls itself first (it goes into the authority's name), then `<name>.local`. Nobody has said
    /// that these are this host's alone: names that may be somebody else's on the Internet are left out.
    /// `localhost` need not be among them.
    package var dnsNames: [String]
    /// What the owner says is this host's. What is no DNS name, and domains under which others have theirs, are left
    /// out all the same.
    package var configuredNames: [String]
    /// IPv4 and IPv6 addresses in numbers, such as `192.168.1.20` or `fd00::1`; brackets and zones are cut off. The
    /// loopback addresses need not be among them. What is no address is left out.
    package var addresses: [String]

    package init(dnsNames: [String], configuredNames: [String] = [], addresses: [String]) {
        self.dnsNames = dnsNames
        self.configuredNames = configuredNames
        self.addresses = addresses
    }
}
