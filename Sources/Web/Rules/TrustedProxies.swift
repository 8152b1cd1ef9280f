import Bytes
import HTTPTypes
import Logging
import Records
import Synchronization

/// Proxies in front of this daemon, whose word about their clients is believed: `X-Forwarded-For` and
/// `X-Forwarded-Proto`. Anybody else could write anything there.
package struct TrustedProxies: Sendable {
    /// Whom a request comes from, as far as it can be told.
    struct RequestOrigin: Equatable {
        var client: ClientAddress
        var isSecure: Bool
        /// What the configuration lacks; nil where nothing is.
        var gap: ProxyGap?
    }

    private let networks: [IPNetwork]
    private let trustsUnixSockets: Bool

    package static let none = TrustedProxies(networks: [], trustsUnixSockets: false)

    private init(networks: [IPNetwork], trustsUnixSockets: Bool) {
        self.networks = networks
        self.trustsUnixSockets = trustsUnixSockets
    }

    /// - Parameter texts: addresses, networks (`10.0.0.0/8`), and `unix` for whoever connects to a socket file; nil when
    ///   one of them is none of these
    package init?(_ texts: [String]) {
        let networks = texts.filter { $0 != "unix" }.map { IPNetwork($0) }
        guard networks.allSatisfy({ $0 != nil }) else { return nil }
        self.init(networks: networks.compactMap(\.self), trustsUnixSockets: texts.contains("unix"))
    }

    /// - Parameters:
    ///   - peer: the connection's other end
    ///   - isSecure: whether that connection is encrypted
    ///   - forwardedFor: the values of `X-Forwarded-For`; each proxy adds whom it has seen at the end
    ///   - forwardedProtocol: of `X-Forwarded-Proto`
    ///   - isHandedOn: whether the request shows that a proxy handed it on
    func origin(
        peer: ClientAddress, isSecure: Bool, forwardedFor: [String], forwardedProtocol: [String],
        isHandedOn: Bool = false
    ) -> RequestOrigin {
        let scheme = Self.elements(forwardedProtocol).last?.lowercased()
        guard trusts(peer) else {
            // Who comes through a program of this host is not this host.
            if isHandedOn, peer.isLoopback {
                return RequestOrigin(client: .unknown, isSecure: isSecure, gap: .proxyNotNamed)
            }
            // Elsewhere such fields are everybody's; but whoever thinks to be at `https` is not led there again.
            return RequestOrigin(
                client: peer, isSecure: isSecure, gap: scheme == "https" && !isSecure ? .proxyNotNamed : nil)
        }
        let gap: ProxyGap? = scheme == nil && !isSecure ? .schemeNotSaid : nil
        return RequestOrigin(client: client(forwardedFor), isSecure: scheme.map { $0 == "https" } ?? isSecure, gap: gap)
    }

    /// The last that no trusted proxy has. What is said before it may be the client's own invention, and what is no
    /// address tells of somebody unknown. A proxy never speaks for this host itself, which may do more than others.
    private func client(_ forwardedFor: [String]) -> ClientAddress {
        for text in Self.elements(forwardedFor).reversed() {
            guard let address = ClientAddress(forwarded: text) else { return .unknown }
            if !trusts(address) { return address.isLoopback ? .unknown : address }
        }
        return .unknown
    }

    private func trusts(_ address: ClientAddress) -> Bool {
        switch address {
        case .unixSocket: trustsUnixSockets
        case .ip(let address): networks.contains { $0.contains(address) }
        }
    }

    private static func elements(_ values: [String]) -> [Substring] {
        values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { $0.drop { $0 == " " || $0 == "\t" } }
            .map { text in
                text.prefix(upTo: text.lastIndex { $0 != " " && $0 != "\t" }.map(text.index(after:)) ?? text.startIndex)
            }
    }
}

extension ClientAddress {
    /// An address as proxies write it: IPv6 also in brackets, and with a port behind.
    fileprivate init?(forwarded text: Substring) {
        let address =
            if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
                IPAddress(ipv6: text[text.index(after: text.startIndex)..<end])
            } else {
                IPAddress(ipv6: text) ?? IPAddress(ipv4: text.prefix { $0 != ":" })
            }
        guard let address else { return nil }
        self = .ip(address)
    }
}

/// What is missing between a reverse proxy and this daemon.
package enum ProxyGap: Sendable, Hashable {
    /// A program hands requests on that `proxies` does not name.
    case proxyNotNamed
    /// A named proxy connects without encryption and does not say whether its client did.
    case schemeNotSaid

    var warning: Logger.Message {
        switch self {
        case .proxyNotNamed:
            """
            a program on this host, such as a reverse proxy or a tunnel, hands requests on. Whoever comes through it is \
            treated as a stranger, and without encryption gets nothing. If it is yours, name its address under proxies \
            in the configuration (proxies: [127.0.0.1], or unix), and let it send X-Forwarded-For and \
            X-Forwarded-Proto; see docs/operations.md
            """
        case .schemeNotSaid:
            """
            a proxy named under proxies sends no X-Forwarded-Proto, so that nobody can know whether its clients' \
            connections are encrypted; they get nothing until it does (nginx: proxy_set_header X-Forwarded-Proto \
            $scheme; HAProxy: http-request set-header X-Forwarded-Proto https if { ssl_fc }; Apache: RequestHeader \
            set X-Forwarded-Proto https)
            """
        }
    }
}

/// Says in the log what is missing, each thing once: strangers must not fill it.
final class ProxyGapNotices: Sendable {
    private let said = Mutex<Set<ProxyGap>>([])
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    func note(_ gap: ProxyGap) {
        guard said.withLock({ $0.insert(gap).inserted }) else { return }
        logger.warning(gap.warning)
    }
}

/// By what a request shows that a program handed it on: a reverse proxy, a tunnel, the network of a provider. Whoever
/// comes that way is not the program at the other end of the connection. That they are forged does no harm: who shows
/// one gets less.
enum ProxySigns {
    private static let names: Set<String> = [
        "cdn-loop", "client-ip", "eagleeye-traceid", "ext-forwarded-for", "forwarded", "front-end-https",
        "max-forwards",
        "proxy-authorization", "proxy-connection", "remote-addr", "remote-user", "source-ip", "surrogate-capability",
        "true-client-ip", "via", "x-client-ip", "x-client-port", "x-client-proto", "x-cluster-client-ip",
        "x-coming-from", "x-forward-for", "x-forward-proto", "x-from-proxy", "x-host", "x-https", "x-iinfo",
        "x-originating-ip", "x-peer-ip", "x-port", "x-prerender-token", "x-proto", "x-queue-start", "x-remote-addr",
        "x-remote-ip", "x-remote-user", "x-request-start", "x-scheme", "x-script-name", "x-server-ip",
        "x-true-client-ip",
        "x-true-ip", "x-url-scheme", "x-user-ip",
        // Written by `RequestHeadHandler`: nginx hands on in HTTP/1.0, and by itself says nothing else.
        "safelight-old-http",
    ]

    private static let prefixes = [
        "akamai-", "cdn-", "cf-", "cloudfront-", "fastly-", "fly-", "incap-", "ngrok-", "ssl-client-", "tailscale-",
        "wl-proxy-", "x-akamai-", "x-amz-cf-", "x-amzn-", "x-appengine-", "x-appgw-", "x-arr-", "x-auth-request-",
        "x-azure-", "x-bluecoat-", "x-cdn-", "x-cf-", "x-cloud-", "x-edge-", "x-envoy-", "x-forwarded", "x-goog-",
        "x-haproxy-",
        "x-nginx-", "x-ngrok-", "x-original-", "x-proxy", "x-real-", "x-ssl-", "x-sucuri-", "x-tls-", "x-traefik-",
        "x-varnish", "x-vercel-",
    ]

    static func areIn(_ fields: HTTPFields, host: String?) -> Bool {
        fields.contains { isSign($0.name.canonicalName) } || isHostRewritten(fields, host)
    }

    private static func isSign(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains(where: name.hasPrefix)
    }

    /// A browser that asks a page's own host names it in `Host` as in `Origin`, unless somebody between wrote another.
    private static func isHostRewritten(_ fields: HTTPFields, _ host: String?) -> Bool {
        guard fields[.secFetchSite] == "same-origin", let host = host?.lowercased() else { return false }
        let asked = (fields[.origin] ?? fields[.referer])?.lowercased()
        guard let asked, let start = asked.firstRange(of: "://")?.upperBound else { return false }
        return asked[start...].prefix { $0 != "/" } != host
    }
}
