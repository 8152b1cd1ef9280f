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
