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
