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
    /// Names besides `localhost`, the host's own name and its addresses under which it may be spoken to.
    package var hostNames: [String]
    /// What the system calls itself; `nil` asks the system.
    package var hostname: String?
    /// Shown in `/api/hello`.
    package var version: String
    /// Takes effect with the listener that offers HTTPS; without HTTPS everything is served.
    package var plainHTTP: PlainHTTP
    package var limits: WebLimits

    package init(
        wwwPath: String, hostNames: [String] = [], hostname: String? = nil, version: String,
        plainHTTP: PlainHTTP = .landing, limits: WebLimits = .init()
    ) {
        self.wwwPath = wwwPath
        self.hostNames = hostNames
        self.hostname = hostname
        self.version = version
        self.plainHTTP = plainHTTP
        self.limits = limits
    }
}
