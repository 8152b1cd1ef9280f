import Bytes
import Testing

@testable import Records
@testable import Web

@Suite struct ByteRangeRequestTests {
    @Test(
        "One range or suffix is taken, the rest ignored",
        arguments: [
            (nil, ByteRangeRequest.whole),
            ("bytes=0-9", .partial(offset: 0, byteCount: 10)),
            ("bytes=0-", .partial(offset: 0, byteCount: 100)),
            ("Bytes=99-99", .partial(offset: 99, byteCount: 1)),
            ("bytes=90-1000", .partial(offset: 90, byteCount: 10)),
            ("bytes=90-99999999999999999999999", .partial(offset: 90, byteCount: 10)),
            ("bytes=-1", .partial(offset: 99, byteCount: 1)),
            ("bytes=-1000", .partial(offset: 0, byteCount: 100)),
            ("bytes=100-", .unsatisfiable),
            ("bytes=99999999999999999999999-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable),
            ("bytes=9-0", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole),
            ("bytes=0-1,5-6", .whole), ("bytes=0-1-2", .whole), ("items=0-1", .whole), ("bytes=+1-2", .whole),
            ("bytes= 1-2", .whole), ("0-1", .whole), ("bytes=0x1-2", .whole), ("bytes=1- ", .whole),
        ] as [(String?, ByteRangeRequest)])
    func ranges(field: String?, expected: ByteRangeRequest) {
        #expect(ByteRangeRequest(field: field, size: 100) == expected)
    }

    @Test("An empty photo has no range")
    func empty() {
        #expect(ByteRangeRequest(field: "bytes=0-", size: 0) == .unsatisfiable)
        #expect(ByteRangeRequest(field: "bytes=-5", size: 0) == .whole)
    }

    @Test("A range that ends at the largest number does not overflow")
    func largest() {
        let range = ByteRangeRequest(field: "bytes=0-18446744073709551615", size: .max)
        #expect(range == .partial(offset: 0, byteCount: .max))
    }
}

@Suite struct HostAllowListTests {
    private let list = HostAllowList(configured: ["Photos.Example.org"], hostname: "darkroom")
    private let local = ClientAddress.ip(.ipv4(192, 168, 1, 20))
    private let local6 = ClientAddress.ip(IPAddress(high: 0xfd << 56, low: 0x20))

    @Test(
        "The host's own names are answered",
        arguments: [
            "localhost", "LOCALHOST:8080", "localhost.", "darkroom", "darkroom.local", "darkroom.local.:80",
            "photos.example.org", "PHOTOS.EXAMPLE.ORG.:443", "192.168.1.20", "192.168.1.20:8080", "localhost:",
        ])
    func own(host: String) {
        #expect(list.allows(host: host, local: local))
    }

    @Test(
        "Other names, and other ways to write an address, are not",
        arguments: [
            nil, "", ":80", "evil.example", "localhost.evil.example", "evil.localhost", "192.168.1.21", "127.0.0.1",
            "3232235796", "0xc0a80114", "0300.0250.1.024", "192.168.276", "192.168.001.20", "192.168.1.20.",
            "192.168.1.20:http", "localhost:99999", "localhost:-1", "localhost:80:80", "[::1]", "[fd00::20",
            "fd00::20", "[fd00::20%eth0]", "user@localhost", "localhost/", "localhost..", "[::ffff:192.168.1.21]",
            "[192.168.1.20]", " localhost", "photos.example.org.evil.example",
        ] as [String?])
    func strangers(host: String?) {
        #expect(!list.allows(host: host, local: local))
    }

    @Test("IPv6 addresses match in every notation, with brackets")
    func ipv6() {
        for host in ["[fd00::20]", "[FD00:0:0::20]:8443", "[fd00:0000::0020]"] {
            #expect(list.allows(host: host, local: local6))
        }
        #expect(!list.allows(host: "[fd00::21]", local: local6))
    }

    @Test("An IPv4 connection to an IPv6 socket is one to its IPv4 address")
    func mapped() {
        let mapped = ClientAddress.ip(IPAddress(high: 0, low: 0xffff_c0a8_0114))
        #expect(list.allows(host: "192.168.1.20", local: mapped))
        #expect(list.allows(host: "[::ffff:192.168.1.20]", local: mapped))
    }
}

@Suite struct CrossSiteProofTests {
    private func judge(
        safe: Bool = false, site: String? = nil, origin: String? = nil, secure: Bool = false, cookie: Bool = false,
        type: String? = nil
    ) -> CrossSiteProof.Verdict {
        CrossSiteProof(
            isSafeMethod: safe, fetchSite: site, origin: origin, host: "darkroom.local:8080", isSecure: secure,
            hasCookie: cookie, contentType: type, hasBody: type != nil
        ).verdict
    }

    @Test("Requests that no browser page causes are not judged")
    func commandLine() {
        #expect(judge() == .allowed)
        #expect(judge(type: "application/x-www-form-urlencoded") == .allowed)
        #expect(judge(safe: true, site: "cross-site", origin: "https://evil.example", cookie: true) == .allowed)
    }

    @Test("Sec-Fetch-Site decides where it is sent")
    func fetchSite() {
        #expect(judge(site: "same-origin", cookie: true) == .allowed)
        #expect(judge(site: "none") == .allowed)
        for site in ["cross-site", "same-site", "", "SAME-ORIGIN", "same-origin, none"] {
            #expect(judge(site: site, origin: "http://darkroom.local:8080", cookie: true) == .crossSite)
        }
    }

    @Test("Else the origin must be this very scheme, host and port")
    func origin() {
        #expect(judge(origin: "http://darkroom.local:8080", cookie: true) == .allowed)
        #expect(judge(origin: "https://DARKROOM.local:8080", secure: true) == .allowed)
        #expect(judge(origin: "https://darkroom.local:8080") == .crossSite)
        #expect(judge(origin: "http://darkroom.local:8080", secure: true) == .crossSite)
        for origin in [
            "null", "", "http://darkroom.local", "http://darkroom.local:8081", "http://evil.example",
            "ftp://darkroom.local:8080", "darkroom.local:8080", "http://darkroom.local:8080.evil.example",
        ] {
            #expect(judge(origin: origin) == .crossSite, "\(origin)")
        }
    }

    @Test("A cookie alone proves nothing")
    func cookieAlone() {
        #expect(judge(cookie: true) == .crossSite)
    }

    @Test("Bodies that any page may send unasked are refused")
    func simpleTypes() {
        for type in ["text/plain", "Text/Plain; charset=utf-8", " application/x-www-form-urlencoded ;x=y"] {
            #expect(judge(site: "same-origin", type: type) == .simpleContentType)
        }
        #expect(judge(site: "same-origin", type: "application/json") == .allowed)
        #expect(judge(site: "same-origin", type: "multipart/form-data; boundary=x") == .allowed)
    }
}

@Suite struct DeviceKindTests {
    @Test(
        "A browser is known by coarse names, whatever else it claims to be",
        arguments: [
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "Version/18.5 Mobile/15E148 Safari/604.1", .iPhone, .safari
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", .linux, .firefox),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile "
                    + "Safari/537.36", .android, .chrome
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 "
                    + "Safari/537.36 Edg/137.0.0.0", .windows, .edge
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 "
                    + "Chrome/130.0.0.0 Mobile Safari/537.36", .android, .samsung
            ),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.5 Safari/605.1.15", .mac, .safari),
            ("\u{1B}[2J<b>", nil, nil), ("", nil, nil), (nil, nil, nil),
        ] as [(String?, DeviceKind.System?, DeviceKind.Browser?)])
    func known(userAgent: String?, system: DeviceKind.System?, browser: DeviceKind.Browser?) {
        #expect(DeviceKind(userAgent: userAgent) == DeviceKind(system: system, browser: browser))
    }
}
