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
