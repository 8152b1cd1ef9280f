import Glibc

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
