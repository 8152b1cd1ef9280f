/// What a person on another device types to open the page.
package struct PageAddresses: Sendable, Equatable {
    /// Complete URLs with a path of `/`, the best first, each once. Empty when no other device can connect.
    package let urls: [String]

    /// - Parameters:
    ///   - isDotLocalAnswered: something on this host answers multicast DNS
    ///   - isCertificateOwn: the owner brought a certificate
    ///   - isNamed: whether the certificate names the host so; other names would lead to a warning that never ends
    package init(
        ports: [OpenPort], names: HostNames, isDotLocalAnswered: Bool, isCertificateOwn: Bool,
        isNamed: (String) -> Bool = { _ in true }
    ) {
        let scheme = isCertificateOwn ? "https" : "http"
        let dotLocal = isDotLocalAnswered ? [names.dotLocal].compactMap(\.self) : []
        let named = (isCertificateOwn ? names.configured + dotLocal : dotLocal + names.configured).filter(isNamed)
        var seen: Set<String> = []
        urls = ports.flatMap { open in
            Self.hosts(open.scope, named: named, names: names).map { "\(scheme)://\($0):\(open.port)/" }
        }.filter { seen.insert($0).inserted }
    }

    private static func hosts(_ scope: OpenPort.Scope, named: [String], names: HostNames) -> [String] {
        switch scope {
        case .thisHost: []
        case .one(let host): [host]
        case .everyAddress(let withIPv6):
            named
                + names.addresses.filter { (withIPv6 || $0.address.isIPv4) && !$0.isForGuestsOfThisHost }
                .map(\.urlHost)
        }
    }
}

/// A port of this host that is listened on.
package struct OpenPort: Sendable, Equatable {
    /// From where it can be connected to.
    package enum Scope: Sendable, Equatable {
        /// Every address of this host.
        case everyAddress(withIPv6: Bool)
        /// One address or name, as it stands in a URL: IPv6 in brackets.
        case one(String)
        /// Nothing but this host.
        case thisHost
    }

    package var scope: Scope
    package var port: Int

    package init(scope: Scope, port: Int) {
        self.scope = scope
        self.port = port
    }
}
