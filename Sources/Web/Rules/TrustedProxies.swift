import Bytes
import Records

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
