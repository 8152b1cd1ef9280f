import HTTPTypes
import Records

/// Who may look at figures of the host: programs on the host itself, at its own hand.
///
/// The console is listened to on loopback or a socket file only. That alone keeps neither a proxy of this host from
/// handing it on, whose connections come from here too, nor a page that a browser of this host has open: it reaches
/// loopback under a name of its own.
struct ConsoleAccess {
    private let hosts = HostAllowList(configured: [], hostname: nil)

    /// - Parameter host: what the request calls this host.
    /// - Throws: `notFound` for those from elsewhere, `wrongHost`, `crossSite` for pages of browsers.
    func check(remote: ClientAddress, local: ClientAddress, host: String?, fields: HTTPFields) throws(WebError) {
        guard remote.isLoopback, local.isLoopback, !ProxySigns.areIn(fields, host: host) else {
            throw .notFound
        }
        guard hosts.allows(host: host, local: local) else { throw .wrongHost }
        guard !fields.contains(.origin), fields[.secFetchSite] ?? "none" == "none" else { throw .crossSite }
    }
}
