import Glibc
import NIOPosix
import Synchronization

/// The domains that this network appends to bare names (`search` and `domain` of resolv.conf): with this host's own name
/// in front, they are what routers and virtual networks call it.
///
/// Such a name is no stranger's. Who answers for it is whom this host itself asks for names; a page elsewhere on the
/// Internet, which would need its own name to lead here, has no say in it. Single labels are left to names that are no
/// domains of the Internet, lest a network that appends `com` made this host answer to somebody's domain.
package struct SearchDomains: Equatable, Sendable {
    /// The domains in lower case, without a dot at either end.
    package let domains: [String]

    private static let ofHomes: Set = [
        "lan", "home", "local", "internal", "localdomain", "intranet", "private", "corp", "localnet", "fritz", "box",
    ]

    package init(resolverConfiguration text: String) {
        var found: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.first == "search" || words.first == "domain" else { continue }
            for word in words.dropFirst() {
                let domain = word.lowercased().drop { $0 == "." }
                let name = domain.hasSuffix(".") ? String(domain.dropLast()) : String(domain)
                guard name.contains(".") || Self.ofHomes.contains(name), !found.contains(name) else { continue }
                found.append(name)
            }
        }
        domains = found
    }

    /// Blocking.
    @Sendable package static func current() -> SearchDomains {
        let descriptor = open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return SearchDomains(resolverConfiguration: "") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = read(descriptor, &bytes, bytes.count)
        return SearchDomains(resolverConfiguration: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
    }
}

/// What the search domains are at the moment, which may be others after the host came into another network. They are
/// read anew when somebody asks for a name that is not known, every ten seconds at most.
final class CurrentSearchDomains: Sendable {
    private static let kept: Duration = .seconds(10)
    private let read: @Sendable () -> SearchDomains
    private let last = Mutex<(domains: SearchDomains, at: ContinuousClock.Instant)?>(nil)

    init(read: @escaping @Sendable () -> SearchDomains) { self.read = read }

    func value() async -> SearchDomains? {
        if let last = last.withLock({ $0 }), ContinuousClock.now - last.at < Self.kept { return last.domains }
        guard let domains = try? await NIOThreadPool.singleton.runIfActive(read) else { return nil }
        last.withLock { $0 = (domains, .now) }
        return domains
    }
}
