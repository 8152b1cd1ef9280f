import HTTPTypes
import Testing

@testable import Web

/// Forms of `Host`, by every kind of connection.
@Suite struct HostTableTests {
    private static let own = [
        "192.168.1.20", "192.168.1.20:8080", "192.168.1.20:80", "192.168.1.20:65535", "192.168.1.20:0", "192.168.1.20:",
        "[::ffff:192.168.1.20]", "[::ffff:192.168.1.20]:8080", "[::FFFF:C0A8:114]", "localhost", "LocalHost:8080",
        "localhost.", "localhost.:1", "darkroom", "DARKROOM:8080", "darkroom.", "darkroom.local", "darkroom.local:8080",
        "Darkroom.Local.", "darkroom.local.:443", "photos.example", "photos.example:8443", "PHOTOS.EXAMPLE.",
    ]
    private static let foreign = [
        "", ":", ":8080", " ", "evil.example", "evil.example:8080", "localhost.evil.example", "evil.localhost",
        "darkroom.local.evil.example", "xdarkroom.local", "darkroom.lan", "darkroom.local..", "photos.example.org",
        "photos.example,evil.example", "photos.example evil.example", "evil@darkroom.local",
        "darkroom.local@evil.example",
        "192.168.1.20.evil.example", "192.168.1.20.", "192.168.1.21", "192.168.1.200", "127.0.0.1", "127.0.0.1:8080",
        "0.0.0.0", "0", "3232235796", "0xc0a80114", "0xc0.0xa8.1.20", "0300.0250.01.024", "192.168.276",
        "192.168.1.020",
        "192.168.001.020", "192.168.1.20:65536", "192.168.1.20:-1", "192.168.1.20:+80", "192.168.1.20:8080:8080",
        "192.168.1.20:http", "192.168.1.20:8080/", "192.168.1.20/evil", "192.168.1.20?x", "192.168.1.20#x",
        "192.168.1.20%00", "[192.168.1.20]", "[::1]", "[::]", "[::ffff:192.168.1.21]", "[fe80::1%25eth0]",
        "[fe80::1%eth0]",
        "[::1", "::1", "fd00::20", "[]", "[]:80", "\u{ff4c}ocalhost", "loc\u{430}lhost", "dar\u{212a}room", "*",
        "*.local",
        "https://192.168.1.20", "//192.168.1.20", "192.168.1.20\\@evil.example",
    ]

    @Test(
        "This host answers to its names and to no other, secure or not",
        arguments: [Place.lan, .secureLAN])
    func forms(place: Place) async throws {
        #expect(Self.own.count + Self.foreign.count >= 60)
        try await WebHost.run { host in
            for (names, isOwn) in [(Self.own, true), (Self.foreign, false)] {
                for name in names {
                    var place = place
                    place.host = name
                    let page = try await host.browser(at: place).send(.get, "/")
                    #expect(page.status == (isOwn ? 200 : 421), "\(name)")
                    let sent = try await host.browser(at: place).send(.get, "/index.html")
                    #expect((sent.headers[.location] != nil) == (isOwn && !place.isSecure), "\(name)")
                    guard !isOwn else { continue }
                    let body = "{\"password\":\"\(WebHost.password)\",\"confirmation\":\"\(WebHost.password)\"}"
                    let made = try await host.browser(at: place).send(.post, "/api/vaults", body: body)
                    #expect(made.status == 421 && made.headers[values: .setCookie].isEmpty, "\(name)")
                }
            }
            let open = try await host.browser().send(
                .post, "/api/session", body: "{\"password\":\"\(WebHost.password)\"}")
            #expect(open.status == 401, "a vault was made under a foreign name")
        }
    }
}
