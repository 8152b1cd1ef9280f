import HTTPTypes

/// By what a request shows that a program handed it on: a reverse proxy, a tunnel, the network of a provider. Whoever
/// comes that way is not the program at the other end of the connection. That they are forged does no harm: who shows
/// one gets less.
enum ProxySigns {
    private static let names: Set<String> = [
        "cdn-loop", "client-ip", "eagleeye-traceid", "ext-forwarded-for", "forwarded", "front-end-https",
        "max-forwards",
        "proxy-authorization", "proxy-connection", "remote-addr", "remote-user", "source-ip", "surrogate-capability",
        "true-client-ip", "via", "x-client-ip", "x-client-port", "x-client-proto", "x-cluster-client-ip",
        "x-coming-from", "x-forward-for", "x-forward-proto", "x-from-proxy", "x-host", "x-https", "x-iinfo",
        "x-originating-ip", "x-peer-ip", "x-port", "x-prerender-token", "x-proto", "x-queue-start", "x-remote-addr",
        "x-remote-ip", "x-remote-user", "x-request-start", "x-scheme", "x-script-name", "x-server-ip",
        "x-true-client-ip",
        "x-true-ip", "x-url-scheme", "x-user-ip",
        // Written by `RequestHeadHandler`: nginx hands on in HTTP/1.0, and by itself says nothing else.
        "safelight-old-http",
    ]

    private static let prefixes = [
        "akamai-", "cdn-", "cf-", "cloudfront-", "fastly-", "fly-", "incap-", "ngrok-", "ssl-client-", "tailscale-",
        "wl-proxy-", "x-akamai-", "x-amz-cf-", "x-amzn-", "x-appengine-", "x-appgw-", "x-arr-", "x-auth-request-",
        "x-azure-", "x-bluecoat-", "x-cdn-", "x-cf-", "x-cloud-", "x-edge-", "x-envoy-", "x-forwarded", "x-goog-",
        "x-haproxy-",
        "x-nginx-", "x-ngrok-", "x-original-", "x-proxy", "x-real-", "x-ssl-", "x-sucuri-", "x-tls-", "x-traefik-",
        "x-varnish", "x-vercel-",
    ]

    static func areIn(_ fields: HTTPFields, host: String?) -> Bool {
        fields.contains { isSign($0.name.canonicalName) } || isHostRewritten(fields, host)
    }

    private static func isSign(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains(where: name.hasPrefix)
    }

    /// A browser that asks a page's own host names it in `Host` as in `Origin`, unless somebody between wrote another.
    private static func isHostRewritten(_ fields: HTTPFields, _ host: String?) -> Bool {
        guard fields[.secFetchSite] == "same-origin", let host = host?.lowercased() else { return false }
        let asked = (fields[.origin] ?? fields[.referer])?.lowercased()
        guard let asked, let start = asked.firstRange(of: "://")?.upperBound else { return false }
        return asked[start...].prefix { $0 != "/" } != host
    }
}
