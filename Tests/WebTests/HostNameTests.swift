import Bytes
import HTTPTypes
import Testing

@testable import Records
@testable import Web

@Suite("Names that the network gives to this host")
struct HostNameTests {
    private let list = HostAllowList(configured: [], hostname: "darkroom.example.org")
    private let link = ClientAddress.ip(IPAddress(high: 0xfe80 << 48, low: 1))
    private let lan = ClientAddress.ip(.ipv4(192, 168, 1, 20))

    @Test("The domains that a network appends to bare names are read, but none of the Internet's own")
    func domains() {
        let text =
            "# search no.example\nnameserver 192.168.1.1\nsearch  Fritz.Box. tail1234.ts.net com lan\ndomain home.arpa\n"
        let found = SearchDomains(resolverConfiguration: text).domains
        #expect(found == ["fritz.box", "tail1234.ts.net", "lan", "home.arpa"])
    }

    @Test("This host's own name with such a domain is taken, and no other")
    func search() {
        let search = SearchDomains(resolverConfiguration: "search fritz.box tail1234.ts.net")
        for name in ["darkroom.fritz.box", "DARKROOM.Fritz.Box.:8080", "darkroom.tail1234.ts.net"] {
            #expect(list.allows(host: name, in: search), "\(name)")
            #expect(!list.allows(host: name, local: lan))
        }
        for name in [
            "evil.fritz.box", "darkroom.evil.example", "darkroom.fritz.box.evil.example", "xdarkroom.fritz.box",
            "darkroom.fritz", "fritz.box", "", ".fritz.box", "darkroom..fritz.box",
        ] {
            #expect(!list.allows(host: name, in: search), "\(name)")
        }
    }

    @Test("A second host of the same name is known by its number")
    func numbered() {
        #expect(list.allows(host: "darkroom-2.local:8080", local: lan))
        for name in ["darkroom-.local", "darkroom-x.local", "darkroom-2.lan", "darkroom-12345.local", "evil-2.local"] {
            #expect(!list.allows(host: name, local: lan), "\(name)")
        }
    }

    @Test("An address of this link may come with a zone, and no other may")
    func zones() {
        for host in ["[fe80::1]", "[fe80::1%eth0]:8080", "[fe80::1%25wlan0]"] {
            #expect(list.allows(host: host, local: link), "\(host)")
        }
        for host in ["[fe80::2%eth0]", "[fe80::1%]", "[fe80::1% x]", "[::1%eth0]"] {
            #expect(!list.allows(host: host, local: link), "\(host)")
        }
        let global = ClientAddress.ip(IPAddress(high: 0x2001 << 48, low: 1))
        #expect(!list.allows(host: "[2001::1%eth0]", local: global))
    }

    @Test("A person's browser gets a page that says what to do, programs an error")
    func page() async throws {
        try await WebHost.run { host in
            var place = Place.secureLAN
            place.host = "darkroom.elsewhere.example:8080"
            let page = try await host.browser(at: place).send(
                .get, "/", headers: [.accept: "text/html,*/*;q=0.8"])
            #expect(page.status == 421)
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.text.contains("hosts: [darkroom.elsewhere.example]"))
            for language in ["en", "zh-Hans", "zh-Hant"] { #expect(page.text.contains("lang=\"\(language)\"")) }
            let error = try await host.browser(at: place).send(.get, "/")
            #expect(error.status == 421)
            #expect(try error.string("code") == "wrong-host")
            place.host = "<b>x\">.example"
            let odd = try await host.browser(at: place).send(.get, "/", headers: [.accept: "text/html"])
            #expect(!odd.text.contains("<b>x"))
        }
    }
}
