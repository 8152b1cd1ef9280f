/// What of the certificates is on disk and usable.
struct Kept: Sendable {
    static let authorityFile = "authority.pem"
    static let hostFile = "host.pem"

    var authority: Authority?
    /// Signed by `authority` where there is one.
    var host: HostCertificate?
    /// Files that stand there and cannot be used, with the reason.
    var unusable: [String: String] = [:]

    /// Whether this host once had an authority, of which something is left.
    var hadAuthority: Bool { authority != nil || host != nil || !unusable.isEmpty }
}
