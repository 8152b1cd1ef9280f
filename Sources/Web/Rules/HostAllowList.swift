import Bytes
import Glibc
import NIOPosix
package import Records
import Synchronization

/// The names under which this host may be spoken to. A page of a stranger's domain that resolves to our address (DNS
/// rebinding) still sends the stranger's name.
package struct HostAllowList: Sendable {
    private let names: Set<String>
    /// Addresses of others that lead here: of whatever hands connections on, as a router or a container's host does.
    private let addresses: Set<IPAddress>
    /// This host's own name, up to its first dot.
    private let label: String?

    /// - Parameters:
    ///   - configured: names and addresses from the configuration, without port
    ///   - hostname: what the system calls itself; allowed bare and as `.local`
    package init(configured: [String], hostname: String?) {
        var names: Set<String> = ["localhost"]
        var label: String?
        for name in configured { names.insert(Self.normalize(name)) }
        addresses = Set(configured.compactMap { IPAddress($0) })
        if let hostname, !hostname.isEmpty {
            let normalized = Self.normalize(hostname)
            names.insert(normalized)
            names.insert(normalized + ".local")
            if let first = normalized.split(separator: ".").first {
                names.insert(first + ".local")
                label = String(first)
            }
        }
        self.names = names
        self.label = label
    }

    /// - Parameters:
    ///   - host: the value of `Host`, with or without port
    ///   - local: the address at which this very connection arrived
    package func allows(host: String?, local: ClientAddress) -> Bool {
        // Beyond ASCII, letters that differ count as equal.
        guard let host, host.utf8.allSatisfy({ $0 < 0x80 }), let name = Self.splitPort(host) else { return false }
        if name.utf8.first == UInt8(ascii: "[") {
            guard let address = Self.ipv6(name.dropFirst().dropLast()) else { return false }
            return .ip(address) == local || addresses.contains(address)
        }
        if let address = IPAddress(ipv4: name) { return .ip(address) == local || addresses.contains(address) }
        let normalized = Self.normalize(name)
        return names.contains(normalized) || isOtherInstance(normalized)
    }

    /// Whether the network calls this host so: its own name, and a domain that the network appends to bare names.
    package func allows(host: String?, in search: SearchDomains) -> Bool {
        guard let label, let host, host.utf8.allSatisfy({ $0 < 0x80 }), let name = Self.splitPort(host) else {
            return false
        }
        let normalized = Self.normalize(name)
        return search.domains.contains { normalized == "\(label).\($0)" }
    }

    /// `HOST-2.local`: what Avahi calls a host whose name another one in the network has already. It is as much or as
    /// little ours as `HOST.local`: nobody outside this network can give such a name.
    private func isOtherInstance(_ name: String) -> Bool {
        guard let label, name.hasPrefix(label + "-"), name.hasSuffix(".local") else { return false }
        let number = name.dropFirst(label.utf8.count + 1).dropLast(".local".utf8.count)
        return (1...4).contains(number.utf8.count)
            && number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// An address of this link may come with the zone by which the client knows it, which says nothing here.
    private static func ipv6(_ text: Substring) -> IPAddress? {
        guard let percent = text.firstIndex(of: "%") else { return IPAddress(ipv6: text) }
        let zone = text[text.index(after: percent)...].utf8
        let isZone = (1...32).contains(zone.count) && zone.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard isZone, let address = IPAddress(ipv6: text[..<percent]), address.isLinkLocal else {
            return nil
        }
        return address
    }

    /// The part before `:port`; `nil` when the port is none or the value is empty.
    private static func splitPort(_ host: String) -> Substring? {
        let bytes = host.utf8
        let end: String.Index
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = bytes.index(after: bracket)
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        }
        let rest = bytes[end...]
        guard end > bytes.startIndex, rest.isEmpty || rest.first == UInt8(ascii: ":"), isPort(rest.dropFirst()) else {
            return nil
        }
        return host[..<end]
    }

    /// A number of 16 bits in at most five digits, or nothing.
    private static func isPort(_ digits: Substring.UTF8View) -> Bool {
        var port = 0
        for (count, digit) in digits.enumerated() {
            guard count < 5, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return false }
            port = port * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return port <= UInt16.max
    }

    /// Lower case, without one trailing dot.
    private static func normalize(_ name: some StringProtocol) -> String {
        let lowered = name.lowercased()
        return lowered.count > 1 && lowered.hasSuffix(".") ? String(lowered.dropLast()) : lowered
    }
}

/// The facts of a request from which follows whether another site may have caused it.
package struct CrossSiteProof: Sendable {
    package enum Verdict: Equatable, Sendable {
        case allowed
        /// 403: an unsafe method that nothing shows to come from our own page.
        case crossSite
        /// 415: a body of a type that a page of any site may send without asking first.
        case simpleContentType
    }

    /// True for methods that only read: GET, HEAD, OPTIONS.
    package var isSafeMethod: Bool
    /// `Sec-Fetch-Site`
    package var fetchSite: String?
    /// `Origin`
    package var origin: String?
    /// `Host`, with its port if it has one.
    package var host: String?
    /// Whether the request came over HTTPS.
    package var isSecure: Bool
    package var hasCookie: Bool
    package var contentType: String?
    package var hasBody: Bool

    package init(
        isSafeMethod: Bool, fetchSite: String? = nil, origin: String? = nil, host: String? = nil,
        isSecure: Bool = false, hasCookie: Bool = false, contentType: String? = nil, hasBody: Bool = false
    ) {
        self.isSafeMethod = isSafeMethod
        self.fetchSite = fetchSite
        self.origin = origin
        self.host = host
        self.isSecure = isSecure
        self.hasCookie = hasCookie
        self.contentType = contentType
        self.hasBody = hasBody
    }

    /// Judges requests that a browser may have sent: those with `Sec-Fetch-Site`, `Origin` or a cookie. Others cannot
    /// carry somebody's session across sites.
    package var verdict: Verdict {
        guard !isSafeMethod, fetchSite != nil || origin != nil || hasCookie else { return .allowed }
        guard isSameOrigin else { return .crossSite }
        return hasBody && hasSimpleContentType ? .simpleContentType : .allowed
    }

    private var isSameOrigin: Bool {
        if let fetchSite { return fetchSite == "same-origin" || fetchSite == "none" }
        guard let origin, let host else { return false }
        let own = (isSecure ? "https://" : "http://") + host.lowercased()
        return origin.lowercased().utf8.elementsEqual(own.utf8)
    }

    private var hasSimpleContentType: Bool {
        let type = contentType?.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "text/plain" || type == "application/x-www-form-urlencoded"
    }
}

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
