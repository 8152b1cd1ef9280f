import Bytes
import HTTPTypes
import Testing

@testable import Records
@testable import Web

@Suite("Requests that a proxy handed on")
struct ProxySignsTests {
    @Test(
        "are known by every field that proxies, tunnels and providers add",
        arguments: [
            "Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port",
            "X-Forwarded-Server", "X-Forwarded-Ssl", "x-forwarded", "Via", "X-Real-IP", "CF-Connecting-IP", "CF-Ray",
            "CF-Visitor", "True-Client-IP", "X-Client-IP", "X-ProxyUser-Ip", "Fastly-Client-IP", "Fly-Client-IP",
            "X-Envoy-External-Address", "X-Cluster-Client-IP", "X-Original-Forwarded-For", "X-Azure-ClientIP",
            "X-Amzn-Trace-Id", "CloudFront-Viewer-Address", "Tailscale-User-Login", "CDN-Loop", "Client-IP",
            "X-Varnish", "Front-End-Https", "X-ARR-SSL", "X-Appengine-User-IP", "Max-Forwards", "ngrok-trace-id",
            "X-URL-Scheme", "X-Remote-User", "X-Original-URL", "Proxy-Connection",
        ])
    func signs(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        #expect(ProxySigns.areIn([name: "x"], host: "localhost"))
    }

    @Test("what browsers, curl and our page send is none")
    func none() {
        let fields: HTTPFields = [
            .userAgent: "Mozilla/5.0", .accept: "*/*", .acceptLanguage: "en", .acceptEncoding: "gzip", .cookie: "a=b",
            .origin: "http://localhost:8080", .referer: "http://localhost:8080/", .secFetchSite: "same-origin",
            .upgradeInsecureRequests: "1", .connection: "close", .authorization: "Basic eA==", .range: "bytes=0-",
            .contentType: "image/jpeg", .ifNoneMatch: "x", .expect: "100-continue",
        ]
        #expect(!ProxySigns.areIn(fields, host: "localhost:8080"))
    }

    @Test("a host that somebody rewrote on the way is one")
    func rewritten() {
        let fields: HTTPFields = [.origin: "https://photos.example.org", .secFetchSite: "same-origin"]
        #expect(ProxySigns.areIn(fields, host: "127.0.0.1:8080"))
        #expect(!ProxySigns.areIn(fields, host: "photos.example.org"))
    }

    private func origin(
        _ peer: ClientAddress, proxies: [String] = [], scheme: [String] = [], isSecure: Bool = false,
        isHandedOn: Bool = true
    ) throws -> TrustedProxies.RequestOrigin {
        try #require(TrustedProxies(proxies)).origin(
            peer: peer, isSecure: isSecure, forwardedFor: ["192.168.1.30"], forwardedProtocol: scheme,
            isHandedOn: isHandedOn)
    }

    @Test(
        "of a program of this host that is not named come from a stranger",
        arguments: [.ip(.ipv4(127, 0, 0, 1)), .ip(IPAddress(high: 0, low: 1)), .unixSocket]
            as [ClientAddress])
    func unnamed(peer: ClientAddress) throws {
        let origin = try origin(peer, scheme: ["https"])
        #expect(origin.client == .unknown && !origin.client.isLoopback && !origin.isSecure)
        #expect(origin.gap == .proxyNotNamed)
        #expect(try self.origin(peer, isHandedOn: false) == .init(client: peer, isSecure: false))
    }

    @Test("of a named one that keeps quiet about the scheme lack it, unless it connects over TLS")
    func quiet() throws {
        let peer = ClientAddress.ip(.ipv4(127, 0, 0, 1))
        #expect(try origin(peer, proxies: ["127.0.0.1"]).gap == .schemeNotSaid)
        #expect(try origin(peer, proxies: ["127.0.0.1"], isSecure: true).gap == nil)
        #expect(try origin(peer, proxies: ["127.0.0.1"], scheme: ["http"]).gap == nil)
    }

    @Test("of another device mean something where they say https alone, so that nobody is led in a circle")
    func elsewhere() throws {
        let peer = ClientAddress.ip(.ipv4(192, 168, 1, 9))
        #expect(try origin(peer) == .init(client: peer, isSecure: false))
        #expect(try origin(peer, scheme: ["https"]) == .init(client: peer, isSecure: false, gap: .proxyNotNamed))
    }
}
