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

    /// For texts of this program.
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
