import FoundationEssentials
import HTTPTypes
import Testing

@testable import Web

@Suite struct PlainHTTPRuleTests {
    private let rule = PlainHTTPRule(open: ["/connect.html", "/health", "/api/certificate"])

    private func decide(
        _ target: String, _ method: HTTPRequest.Method = .get, credentials: Bool = false
    ) -> PlainHTTPRule.Decision {
        rule.decision(method: method, target: target, host: "darkroom.local:8080", hasCredentials: credentials)
    }

    @Test("The landing page stands in for the page, for reading alone")
    func landing() {
        for target in ["/", "/?a=b", "/#code=x", "/?", "/give/", "/give/?"] { #expect(decide(target) == .landing) }
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
            "/api", "/api/", "/api/hello", "/api/photos/x", "/api?x", "/give/api", "/give/api/look", "/dav",
            "/dav/inbox/", "*", "", ".evil.example",
            "@evil.example", "x",
        ])
    func refused(target: String) {
        #expect(decide(target) == .refuse)
    }

    @Test("Credentials are refused wherever they are sent")
    func credentials() {
        for target in ["/", "/health", "/index.html", "/api/photos"] {
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
}
