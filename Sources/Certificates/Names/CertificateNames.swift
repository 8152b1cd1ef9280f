/// What this host is reached by at this moment: what its certificate has to name.
package struct CertificateNames: Sendable, Equatable {
    /// What the system calls itself first (it goes into the authority's name), then `<name>.local`. Nobody has said
    /// that these are this host's alone: names that may be somebody else's on the Internet are left out.
    /// `localhost` need not be among them.
    package var dnsNames: [String]
    /// What the owner says is this host's. What is no DNS name, and domains under which others have theirs, are left
    /// out all the same.
    package var configuredNames: [String]
    /// IPv4 and IPv6 addresses in numbers, such as `192.168.1.20` or `fd00::1`; brackets and zones are cut off. The
    /// loopback addresses need not be among them. What is no address is left out.
    package var addresses: [String]

    package init(dnsNames: [String], configuredNames: [String] = [], addresses: [String]) {
        self.dnsNames = dnsNames
        self.configuredNames = configuredNames
        self.addresses = addresses
    }
}
