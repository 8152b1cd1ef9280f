import Bytes
import Glibc
import Signing

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
    init(of certificate: X509Certificate) throws {
        for name in try certificate.names() ?? [] {
            switch name {
            case .domain(let text): if let name = DNSName(text) { append(name) }
            case .address(let bytes): if let address = IPAddress(bytes: bytes) { append(address) }
            case .other: break
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

    var certificateNames: [CertificateName] {
        dnsNames.map { .domain($0.text) } + addresses.map { .address($0.bytes) }
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

/// A name as certificates hold it: labels of letters, digits, hyphens (and underscores, which some hosts have), in
/// lower case.
struct DNSName: Hashable, Sendable {
    let text: String

    static let localhost = DNSName(valid: "localhost")

    /// Nil for what no browser would look up: wildcards, other letters than ASCII, empty or long labels, numbers.
    init?(_ text: String) {
        var text = text.lowercased()
        if text.hasSuffix(".") { text.removeLast() }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, labels.allSatisfy(Self.isLabel),
            labels.last?.allSatisfy(Self.isDigit) == false
        else { return nil }
        self.text = text
    }

    /// Takes a name that is written in this program, and so is known to be valid.
    init(valid text: String) {
        self.text = text
    }

    /// Whether it is `domain` or a name below it.
    func isWithin(_ domain: DNSName) -> Bool { text == domain.text || text.hasSuffix("." + domain.text) }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0) || $0 == hyphen || $0 == UInt8(ascii: "_") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// Whose a name may be. Who trusts an authority that speaks for `photos` trusts it for everything below the public
/// domain of that name, `www.example.photos` too: a constraint holds for a name and all names below it (RFC 5280,
/// 4.2.1.10).
extension DNSName {
    /// Domains below which no name is given to anybody on the Internet: RFC 6761 (`localhost`), RFC 6762 (`local`),
    /// RFC 8375 (`home.arpa`), the one that ICANN reserved for private use (`internal`), and what routers call a home.
    private static let privateDomains = ["localhost", "local", "lan", "home.arpa", "internal"].map(DNSName.init(valid:))

    /// Whether nobody on the Internet can be called so.
    var isPrivate: Bool { self == .localhost || Self.privateDomains.contains { self != $0 && isWithin($0) } }

    /// Whether it may be a domain under which others have theirs: one label, as every top-level domain has, or one of
    /// those below that give out names, such as `co.uk`.
    var isPublicDomain: Bool {
        guard self != .localhost else { return false }
        return labels.count == 1 || Self.privateDomains.contains(self) || PublicSuffixes.contain(self)
    }

    var labels: [Substring] { text.split(separator: ".") }
}

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
    init?(of certificate: X509Certificate) throws {
        guard let names = try certificate.permittedNames() else { return nil }
        domains = names.compactMap { if case .domain(let text) = $0 { DNSName(text) } else { nil } }
        networks = names.compactMap { if case .address(let bytes) = $0 { IPNetwork(constraint: bytes) } else { nil } }
        guard !domains.isEmpty, !networks.isEmpty else { return nil }
    }

    var names: [CertificateName] { domains.map { .domain($0.text) } + networks.map { .address($0.constraint) } }

    /// Of the domains, those that others may have on the Internet, or may have names under. No new authority gets any.
    /// - Parameter configuredNames: names that the owner says are this host's
    func publicDomains(besides configuredNames: [String]) -> [String] {
        let own = configuredNames.compactMap { DNSName($0) }.filter { !$0.isPublicDomain }
        return domains.filter { $0 != .localhost && !$0.isPrivate && !own.contains($0) }.map(\.text)
    }

    func permits(_ name: DNSName) -> Bool { domains.contains { name.isWithin($0) } }
    func permits(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }
}

/// Domains of two labels and more under which everybody can have a name.
enum PublicSuffixes {
    /// Where Debian's package `publicsuffix` has the list of https://publicsuffix.org. Without it the commonest are known.
    private static let list = "/usr/share/publicsuffix/public_suffix_list.dat"

    /// What stands before a country's letters where the country gives out no names of its own.
    private static let secondLabels: Set<Substring> = [
        "ac", "ad", "asso", "biz", "co", "com", "edu", "firm", "gen", "go", "gob", "gouv", "gov", "govt", "gr", "gv",
        "id", "ind", "info", "k12", "lg", "ltd", "me", "mil", "ne", "net", "nic", "nom", "or", "org", "plc", "police",
        "pro", "sch", "school", "web",
    ]

    /// Those of services that give a name to a computer at home.
    private static let services: Set<String> = [
        "ddns.net", "ddnss.de", "dedyn.io", "duckdns.org", "dyndns.org", "dynv6.net", "freeddns.org", "github.io",
        "goip.de", "hopto.org", "myddns.me", "myds.me", "myfritz.net", "mynetgear.com", "myqnapcloud.com", "myftp.org",
        "no-ip.org", "noip.me", "nsupdate.info", "sytes.net", "synology.me", "tplinkdns.com", "ts.net", "zapto.org",
    ]

    /// Reads a file the first time that a name is configured; not for the cooperative pool.
    static func contain(_ name: DNSName) -> Bool {
        let labels = name.labels
        guard labels.count > 1 else { return true }
        if services.contains(name.text) { return true }
        if labels.count == 2, labels[1].utf8.count == 2, secondLabels.contains(labels[0]) { return true }
        return isListed(name.text, parent: labels.dropFirst().joined(separator: "."))
    }

    /// A rule is a line: a name, `*.` and a name for everything right below it, or `!` and a name that is excepted.
    private static func isListed(_ name: String, parent: String) -> Bool {
        guard let file = try? FileContent(path: list) else { return false }
        let (exception, wildcard) = (Array("!\(name)".utf8), Array("*.\(parent)".utf8))
        var isFound = false
        for line in file.bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            if line.elementsEqual(exception) { return false }
            if line.elementsEqual(name.utf8) || line.elementsEqual(wildcard) { isFound = true }
        }
        return isFound
    }
}
