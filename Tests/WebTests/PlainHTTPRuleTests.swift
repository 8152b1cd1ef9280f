import FoundationEssentials
import HTTPTypes
import Testing

@testable import Web

@Suite struct PlainHTTPRuleTests {
    private let rule = PlainHTTPRule(
        open: ["/connect.html", "/health", "/api/certificate"], openAtDoors: ["/js/give.js"])

    private func decide(
        _ target: String, _ method: HTTPRequest.Method = .get, credentials: Bool = false
    ) -> PlainHTTPRule.Decision {
        rule.decision(method: method, target: target, host: "darkroom.local:8080", hasCredentials: credentials)
    }

    @Test("The landing page stands in for the page, for reading alone")
    func landing() {
        for target in [
            "/", "/?a=b", "/#code=x", "/?", "/give/", "/give/?", "/give/?plain=1", "/give/?a&plain", "/give/?PLAIN",
            "/?plain",
        ] {
            #expect(decide(target) == .landing)
        }
        #expect(decide("/", .head) == .landing)
        for method in [HTTPRequest.Method.post, .put, .delete, .patch, .options] {
            #expect(decide("/", method) == .refuse)
        }
    }

    @Test("What is open is served under its exact address")
    func open() {
        #expect(decide("/health") == .serve)
        #expect(decide("/api/certificate?x", .head) == .serve)
        #expect(decide("/api/certificate/") == .refuse)
        #expect(decide("/health", .post) == .refuse)
    }

    @Test(
        "Other pages are found at the same address with https, whatever the target looks like",
        arguments: [
            "/index.html", "/js/main.js?v=1", "//evil.example", "//evil.example/%2e%2e", "/\\evil.example",
            "/@evil.example",
            "/%2f%2fevil.example", "/.evil.example", "/:80", "/apis", "/%61pi/photos", "/health/", "/HEALTH",
        ])
    func pages(target: String) {
        #expect(decide(target) == .redirect("https://darkroom.local:8080" + target))
        #expect(decide(target, .head) == .redirect("https://darkroom.local:8080" + target))
        #expect(decide(target, .post) == .refuse)
    }

    @Test(
        "Programs, and targets that are no path, are refused",
        arguments: [
            "/api", "/api/", "/api/hello", "/api/photos/x", "/api?x", "/give/api", "/give/api?x", "/dav",
            "/dav/inbox/", "*", "", ".evil.example",
            "@evil.example", "x",
        ])
    func refused(target: String) {
        #expect(decide(target) == .refuse)
    }

    @Test("A door's page comes with what it needs, and what is sent there is for the door to judge")
    func doors() {
        #expect(decide("/give/?plain") == .serve && decide("/give/?plain", .head) == .serve)
        #expect(decide("/give/?plain", .post) == .refuse)
        #expect(decide("/js/give.js") == .serve && decide("/js/give.js", .post) == .refuse)
        for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete, .options] {
            #expect(decide("/give/api/look", method) == .visit)
        }
        for target in ["/give/apis", "/give//api/look", "/give/index.html", "/giveapi/"] {
            #expect(decide(target) != .visit && decide(target) != .serve)
        }
    }

    @Test("Credentials are refused wherever they are sent")
    func credentials() {
        for target in ["/", "/health", "/index.html", "/api/photos", "/give/api/photos", "/give/?plain"] {
            #expect(decide(target, credentials: true) == .refuse)
        }
    }
}

@Suite struct LandingTests {
    @Test("The landing page's files are those it names, directly or through another, and no other page")
    func addresses() async throws {
        try await WebHost.run { host in
            let landing = try Landing(StaticFiles(readingFolder: host.folder + "/www"))
            #expect(
                landing.addresses == [
                    "/connect.html", "/css/page.css", "/lamp.svg", "/js/connect.js", "/js/words.js", "/i18n/en.js",
                    "/i18n/zh.js",
                ])
        }
    }

    @Test("The real landing page comes with its scripts, styles and words, and without the rest of the page")
    func realPage() throws {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let landing = try Landing(StaticFiles(readingFolder: checkout.appending(path: "www").path()))
        #expect(
            landing.addresses.isSuperset(of: [
                "/connect.html", "/css/connect.css", "/js/connect/connect.js", "/js/base/i18n.js", "/i18n/en.js",
                "/icons.svg",
            ]))
        #expect(landing.addresses.isDisjoint(with: ["/", "/index.html", "/js/start/main.js", "/js/uploads/upload.js"]))
    }

    @Test("What a door's page needs asks nobody for a password, and opens no vault")
    func realDoor() throws {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let files = try StaticFiles(readingFolder: checkout.appending(path: "www").path())
        let needed = try Landing(files).addressesAtDoors
        #expect(needed.isSuperset(of: ["/js/give/give.js", "/js/uploads/upload.js", "/i18n/give/en.js"]))
        #expect(needed.isDisjoint(with: ["/", "/index.html", "/give/", "/give/index.html", "/js/start/main.js"]))
        for address in needed {
            let text = try String(buffer: files.required(address).plain.bytes)
            #expect(!text.contains("type: \"password\"") && !text.contains("current-password"), "\(address)")
        }
    }
}
