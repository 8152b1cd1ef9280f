import Bytes
import HTTPTypes
import Testing

@testable import Records
@testable import Web

@Suite("Who sees the host's figures")
struct ConsoleAccessTests {
    private static let loopback = ClientAddress.ip(.ipv4(127, 0, 0, 1))
    private static let device = ClientAddress.ip(.ipv4(192, 168, 1, 9))

    private func refusal(
        from remote: ClientAddress = Self.loopback, to local: ClientAddress = Self.loopback,
        host: String? = "127.0.0.1:9000",
        _ fields: HTTPFields = [:]
    ) -> WebError? {
        do throws(WebError) {
            try ConsoleAccess().check(remote: remote, local: local, host: host, fields: fields)
            return nil
        } catch {
            return error
        }
    }

    @Test("programs of this host, by loopback and by a socket file")
    func host() {
        #expect(refusal() == nil)
        #expect(refusal(host: "localhost") == nil)
        #expect(refusal(from: .unixSocket, to: .unixSocket, host: "localhost") == nil)
        #expect(refusal([.secFetchSite: "none"]) == nil)
    }

    @Test("no other device, whatever address of ours it reached")
    func others() {
        #expect(refusal(from: Self.device) == .notFound)
        #expect(refusal(from: Self.device, to: Self.device) == .notFound)
        #expect(refusal(to: Self.device) == .notFound)
    }

    @Test(
        "nothing that a proxy hands on",
        arguments: [HTTPField.Name.forwarded, .xForwardedFor, .xForwardedHost, .xRealIP, .via])
    func proxies(field: HTTPField.Name) {
        #expect(refusal([field: "192.168.1.9"]) == .notFound)
    }

    @Test("no page of a browser, under no name that it may have been given")
    func pages() {
        #expect(refusal(host: "evil.example") == .wrongHost)
        #expect(refusal(host: "192.168.1.5") == .wrongHost)
        #expect(refusal(host: nil) == .wrongHost)
        #expect(refusal([.origin: "http://127.0.0.1:9000"]) == .crossSite)
        #expect(refusal([.secFetchSite: "same-site"]) == .crossSite)
    }
}

@Suite("Figures as text")
struct MetricsTextTests {
    @Test("a family has its words, its kind and its samples, and what is not known is left out")
    func families() {
        var figures = HostFigures(version: "1.2.3")
        figures.requests = [2: 7]
        let lines = MetricsText(figures).text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.last == "")
        #expect(lines.contains("# TYPE safelight_http_requests_total counter"))
        #expect(lines.contains("safelight_http_requests_total{code=\"2xx\"} 7"))
        #expect(lines.contains("safelight_http_requests_total{code=\"5xx\"} 0"))
        #expect(!lines.contains { $0.contains("last_backup") || $0.contains("disk_free") })
    }

    @Test("what a label says cannot end it")
    func escaping() {
        let text = MetricsText(HostFigures(version: "a\"b\\c\nd")).text
        #expect(text.contains("safelight_build_info{version=\"a\\\"b\\\\c\\nd\"} 1\n"))
    }
}
