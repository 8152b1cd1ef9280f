/// What this host is reached by at this moment: what its certificate has to name.
package struct CertificateNames: Sendable, Equatable {
    /// The host's own name first (it goes into the authority's name), then `<name>.local`, then the configured names.
    /// `localhost` need not be among them. What is no DNS name is left out.
    package var dnsNames: [String]
    /// IPv4 and IPv6 addresses in numbers, such as `192.168.1.20` or `fd00::1`; brackets and zones are cut off. The
    /// loopback addresses need not be among them. What is no address is left out.
    package var addresses: [String]

    package init(dnsNames: [String], addresses: [String]) {
        self.dnsNames = dnsNames
        self.addresses = addresses
    }
}
