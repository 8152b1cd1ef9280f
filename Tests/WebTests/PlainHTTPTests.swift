import Bytes
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Web

/// What a device of the network may do without encryption.
@Suite struct PlainHTTPTests {
    private static let basic = "Basic OnNldmVuIHdvb2RlbiBsYW1wcw=="
    private static let wrongBasic = "Basic Ondyb25n"

    @Test("It reads the landing page with what that needs, and the certificate and the health")
    func served() async throws {
        try await WebHost.run { host in
            let phone = host.browser(at: .lan)
            let page = try await phone.send(.get, "/")
            #expect(page.status == 200 && page.text == WebHost.www["connect.html"])
            let head = try await phone.send(.head, "/")
            #expect(head.status == 200 && head.bytes.isEmpty)
            #expect(head.headers[.contentLength] == page.headers[.contentLength])
            for uri in [
                "/connect.html", "/css/page.css", "/js/connect.js", "/js/words.js", "/i18n/en.js", "/lamp.svg",
                "/health", "/health/live", "/api/certificate", "/safelight-authority.crt", "/safelight-authority.pem",
            ] {
                #expect(try await phone.send(.get, uri).status == 200, "\(uri)")
            }
        }
    }

    @Test("Other pages send it to the same address with https")
    func redirected() async throws {
        try await WebHost.run { host in
            let phone = host.browser(at: .lan)
            for uri in ["/index.html", "/js/main.js?v=1", "//evil.example/x", "/nothing"] {
                let answer = try await phone.send(.get, uri)
                #expect(answer.status == 308)
                #expect(answer.headers[.location] == "https://192.168.1.20:8080" + uri)
            }
        }
    }

    @Test("A Host that is not ours is told so and never sent anywhere")
    func foreignHost() async throws {
        var place = Place.lan
        place.host = "evil.example"
        try await WebHost.run { host in
            for uri in ["/", "/index.html", "/api/hello"] {
                let answer = try await host.browser(at: place).send(.get, uri)
                #expect(answer.status == 421 && answer.headers[.location] == nil)
            }
        }
    }

    @Test("Everything else is answered 426, with the way to go")
    func refused() async throws {
        try await WebHost.run { host in
            let phone = host.browser(at: .lan)
            let requests: [(HTTPRequest.Method, String)] = [
                (.get, "/api/hello"), (.get, "/api/photos"), (.head, "/api/photos"), (.get, "/api/session"),
                (.post, "/api/session"), (.post, "/api/vaults"), (.put, "/api/photos/a.jpg"), (.post, "/api/photos"),
                (.delete, "/api/session"), (.options, "/api/photos"), (.options, "/"), (.post, "/"), (.options, "*"),
                (.patch, "/health"), (.get, "/connect/secure"), (.get, "/api/addresses"), (.get, "*"),
            ]
            for (method, uri) in requests {
                let answer = try await phone.send(method, uri, body: method == .post ? "{}" : nil)
                #expect(answer.status == 426, "\(method) \(uri)")
                #expect(answer.headers[.upgrade] == "TLS/1.3" && answer.headers[.connection] == "Upgrade")
                #expect(answer.headers[values: .setCookie].isEmpty)
                if method != .head { #expect(try answer.string("code") == "tls-required") }
            }
        }
    }

    /// A door of the vault that a browser has open: its id, code and link.
    private func makeDoor(_ owner: Browser, _ more: String) async throws -> (id: String, code: String, link: String) {
        let lastDay = CivilDay.text(UInt32(Date().timeIntervalSince1970 / 86_400) + 3)
        let door = try await owner.send(
            .post, "/api/doors", body: "{\"name\":\"Anna\",\"lastDay\":\"\(lastDay)\"\(more)}")
        return (try door.string("id"), try door.string("code"), try door.string("link"))
    }

    @Test("At a door whose owner wants that it gives in one piece and resumably, until the owner does not")
    func doors() async throws {
        try await WebHost.run { host in
            let owner = host.browser()
            try await owner.createVault()
            let open = try await makeDoor(owner, ",\"unencrypted\":true")
            let other = try await makeDoor(owner, "")
            #expect(open.link.hasPrefix("http://darkroom.local:8080/give/?plain#"))
            #expect(other.link.hasPrefix("http://darkroom.local:8080/give/#"))
            let phone = host.browser(at: .lan)
            #expect(try await phone.send(.get, "/give/?plain").text == WebHost.www["give/index.html"])
            #expect(try await phone.send(.get, "/give/").text == WebHost.www["connect.html"])
            #expect(try await phone.send(.get, "/js/give.js").status == 200)
            func post(_ path: String, _ code: String) async throws -> Answer {
                try await phone.send(
                    .post, "/give/api/\(path)", headers: [.origin: Place.lan.origin, .contentType: "application/json"],
                    body: "{\"code\":\"\(code)\"}")
            }
            for path in ["look", "enter"] { #expect(try await post(path, other.code).status == 426) }
            #expect(phone.cookieField.isEmpty)
            #expect(try await post("look", open.code).status == 200)
            #expect(try await post("enter", open.code).status == 201)
            #expect(phone.cookieField.hasPrefix("safelight-8080-give="))

            let tus: HTTPFields = [.tusResumable: "1.0.0"]
            func begin() async throws -> Answer {
                var creation = tus
                creation[.uploadLength] = "3"
                creation[.uploadMetadata] = "filename YS5qcGc="
                return try await phone.send(.post, "/give/api/uploads", headers: creation, bytes: [])
            }
            #expect(try await phone.send(.put, "/give/api/photos/a.jpg", bytes: [1, 2, 3]).status == 201)
            let begun = try await begin()
            #expect(begun.status == 201)
            let upload = try #require(begun.headers[.location])
            var part = tus
            part[.uploadOffset] = "0"
            part[.contentType] = TusProtocol.contentTypes[0]
            #expect(try await phone.send(.patch, upload, headers: part, bytes: [4]).status == 204)
            let list = try await phone.send(.get, "/give/api/photos")
            #expect(try list.json(PhotoList.self).names == ["a.jpg"])

            // A vault's cookie and password are worth nothing on that way.
            for uri in ["/api/photos", "/api/session", "/api/hello", "/dav/inbox/"] {
                #expect(try await phone.send(.get, uri).status == 426)
            }
            let form =
                "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(WebHost.password)\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"photos\"; filename=\"b.jpg\"\r\n\r\nx\r\n--B--\r\n"
            let stranger = host.browser(at: .lan)
            let sent = try await stranger.send(
                .post, "/give/api/photos", headers: [.contentType: "multipart/form-data; boundary=B"], body: form)
            #expect(sent.status == 401)

            let undone = try await owner.send(
                .patch, "/api/doors/\(open.id)", headers: [.contentType: "application/json"],
                body: "{\"unencrypted\":false}")
            #expect(try undone.string("link").hasPrefix("http://darkroom.local:8080/give/#"))
            for path in ["look", "enter"] { #expect(try await post(path, open.code).status == 426) }
            part[.uploadOffset] = "1"
            for answer in [
                try await phone.send(.put, "/give/api/photos/c.jpg", bytes: [5]),
                try await phone.send(.patch, upload, headers: part, bytes: [5]), try await begin(),
                try await phone.send(.get, "/give/api/photos"), try await phone.send(.get, "/give/api/session"),
                try await phone.send(.post, "/give/api/thumbnails", body: "{\"ids\":[]}"),
            ] {
                #expect(try answer.status == 426 && answer.string("code") == "tls-required", "\(answer.text)")
            }
            // What was given over it is not had back by the other cookie, and the door goes on with encryption.
            let secure = host.browser(at: .secureLAN)
            let entered = try await secure.send(
                .post, "/give/api/enter", headers: [.contentType: "application/json"],
                body: "{\"code\":\"\(open.code)\"}")
            #expect(entered.status == 201)
        }
    }

    @Test("A password that comes with a request is not looked at")
    func basic() async throws {
        try await WebHost.run { host in
            try await host.client { try await $0.createVault() }
            let phone = host.browser(at: .lan)
            // Had these been looked at, the last would have to wait.
            for _ in 0..<30 {
                let answer = try await phone.exchange(.get, "/api/photos", headers: [.authorization: Self.wrongBasic])
                #expect(answer.status == 426 && answer.headers[.wwwAuthenticate] == nil)
            }
            for uri in ["/", "/health", "/index.html", "/api/photos"] {
                let answer = try await phone.exchange(.get, uri, headers: [.authorization: Self.basic])
                #expect(answer.status == 426)
            }
            let secure = host.browser(at: .secureLAN)
            let answer = try await secure.exchange(.get, "/api/photos", headers: [.authorization: Self.basic])
            #expect(answer.status == 200)
        }
    }

    @Test("A form sent without JavaScript keeps nothing")
    func plainForm() async throws {
        let body =
            "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(WebHost.password)\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"photos\"; filename=\"a.jpg\"\r\n\r\nx\r\n--B--\r\n"
        let form: HTTPFields = [.contentType: "multipart/form-data; boundary=B", .origin: Place.lan.origin]
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let sent = try await host.browser(at: .lan).send(.post, "/api/photos", headers: form, body: body)
                #expect(sent.status == 426)
                #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == [])
            }
        }
    }

    @Test(
        "Whoever sits at the host itself uses everything without encryption",
        arguments: [
            Place(), Place(remote: .ip(.ipv4(127, 0, 0, 1)), local: .ip(.ipv4(127, 0, 0, 1))),
            Place(remote: .ip(.ipv4(127, 8, 9, 1)), local: .ip(.ipv4(127, 0, 0, 1))),
            Place(remote: .ip(loopback6), local: .ip(loopback6), host: "[::1]:8080"),
            Place(
                remote: .ip(mapped(0x7f00_0001)), local: .ip(mapped(0x7f00_0001)), host: "127.0.0.1:8080"),
        ])
    func local(place: Place) async throws {
        try await WebHost.run { host in
            let browser = host.browser(at: place)
            #expect(try await browser.send(.get, "/").text == WebHost.www["index.html"])
            try await browser.createVault()
            #expect(try await browser.send(.get, "/api/photos").status == 200)
        }
    }

    @Test("A stranger's IPv4 address in IPv6 form is a stranger's")
    func mappedStranger() async throws {
        let place = Place(
            remote: .ip(mapped(0xc0a8_011e)), local: .ip(mapped(0xc0a8_0114)), host: "192.168.1.20")
        try await WebHost.run { host in
            let answer = try await host.browser(at: place).send(.get, "/api/hello")
            #expect(answer.status == 426)
        }
    }

    @Test("An owner who allows plain HTTP gets all of it")
    func allowed() async throws {
        try await WebHost.run(plainHTTP: .allow) { host in
            let phone = host.browser(at: .lan)
            #expect(try await phone.send(.get, "/").text == WebHost.www["index.html"])
            try await phone.createVault()
            #expect(phone.cookieField.contains("safelight-8080="))
            #expect(try await phone.send(.get, "/api/photos").status == 200)
            #expect(try await phone.send(.get, "/api/hello").string("secure") == "false")
            #expect(try await phone.send(.get, "/connect/secure").status == 426)
        }
    }

    @Test(
        "Every answer carries the security headers, and none asks for HTTPS for ever",
        arguments: [Place.lan, .secureLAN])
    func headers(place: Place) async throws {
        try await WebHost.run { host in
            for uri in ["/", "/index.html", "/api/hello", "/nothing", "/api/certificate", "/connect/secure", "*"] {
                let answer = try await host.browser(at: place).send(.get, uri)
                #expect(answer.headers[.contentSecurityPolicy]?.contains("connect-src 'self';") == true)
                #expect(answer.headers[.xContentTypeOptions] == "nosniff" && answer.headers[.date] != nil)
                #expect(answer.headers[.referrerPolicy] == "same-origin")
                #expect(answer.headers[.strictTransportSecurity] == nil)
            }
        }
    }
}

private let loopback6 = IPAddress(high: 0, low: 1)
private func mapped(_ ipv4: UInt64) -> IPAddress { IPAddress(high: 0, low: 0xffff_0000_0000 | ipv4) }
