package import Certificates
package import Releases

/// What the HTTP interface needs to know of its host.
package struct WebConfiguration: Sendable {
    /// Plain HTTP from other hosts of the network.
    package enum PlainHTTP: String, Sendable {
        /// One page that leads to the secure address.
        case landing
        /// Everything.
        case allow
    }

    /// The folder of the page; read once, at start.
    package var wwwPath: String
    /// Below which a proxy shows the page.
    package var base: PageBase
    /// Names besides `localhost`, the host's own name and its addresses under which it may be spoken to.
    package var hostNames: [String]
    /// What the system calls itself; `nil` asks the system.
    package var hostname: String?
    /// Whom people ask, an address or a few words; `nil` where the owner names nobody.
    package var contact: String?
    /// What starts an import, for a shell on this host.
    package var importCommand = "safelight import"
    /// Shown in `/api/hello`.
    package var version: String
    package var plainHTTP: PlainHTTP
    /// Who stands between clients and this daemon.
    package var proxies: TrustedProxies
    /// What a person compares and installs to trust this host; `nil` while there is no certificate.
    package var certificate: @Sendable () -> CertificateFacts?
    /// Complete URLs by which another device reaches this host, the best one first.
    package var addresses: @Sendable () -> [String]
    /// Whether any other device has connected since the start.
    package var reached: @Sendable () -> Bool
    /// What the release feed said last.
    package var upgrade: @Sendable () -> Upgrade?
    package var limits: WebLimits
    /// Domains that the network appends to bare names. Blocking.
    package var searchDomains: @Sendable () -> SearchDomains

    package init(
        wwwPath: String, base: PageBase = .none, hostNames: [String] = [], hostname: String? = nil,
        contact: String? = nil,
        version: String,
        plainHTTP: PlainHTTP, proxies: TrustedProxies = .none, certificate: @escaping @Sendable () -> CertificateFacts?,
        addresses: @escaping @Sendable () -> [String], reached: @escaping @Sendable () -> Bool,
        upgrade: @escaping @Sendable () -> Upgrade? = { nil },
        limits: WebLimits = .init(),
        searchDomains: @escaping @Sendable () -> SearchDomains = { SearchDomains(resolverConfiguration: "") }
    ) {
        self.wwwPath = wwwPath
        self.base = base
        self.hostNames = hostNames
        self.hostname = hostname
        self.contact = contact
        self.version = version
        self.plainHTTP = plainHTTP
        self.proxies = proxies
        self.certificate = certificate
        self.addresses = addresses
        self.reached = reached
        self.upgrade = upgrade
        self.limits = limits
        self.searchDomains = searchDomains
    }
}

/// Bounds on what one request may ask for; sizes in bytes. Those on connections are `ListenerLimits`.
package struct WebLimits: Sendable {
    /// A body with passwords.
    package var passwordBodyByteCount = 4 * 1024
    /// A body that lists photos: 10,000 of them and more.
    package var idListByteCount = 256 * 1024
    package var multipart = MultipartLimits()

    package init() {}
}
