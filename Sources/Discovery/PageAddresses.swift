/// What a person on another device types to open the page.
package struct PageAddresses: Sendable, Equatable {
    /// Complete URLs with a path of `/`, the best first, each once. Empty when no other device can connect.
    package let urls: [String]

    /// - Parameters:
    ///   - isDotLocalAnswered: something on this host answers multicast DNS
    ///   - isCertificateOwn: the owner brought a certificate; it holds the names that the owner configured
    package init(
        ports: [OpenPort], names: HostNames, isDotLocalAnswered: Bool, isCertificateOwn: Bool
    ) {
        let scheme = isCertificateOwn ? "https" : "http"
        let dotLocal = isDotLocalAnswered ? [names.dotLocal].compactMap(\.self) : []
        let named = isCertificateOwn ? names.configured + dotLocal : dotLocal + names.configured
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
                + names.addresses.filter { (withIPv6 || $0.family == .ipv4) && !$0.isForGuestsOfThisHost }
                .map(\.urlHost)
        }
    }
}
