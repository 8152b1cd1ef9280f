import HTTPTypes
import Testing

@testable import Web

@Suite("Guests over HTTP")
struct GuestRouteTests {
    private struct State: Decodable {
        struct Guest: Decodable {
            let photos: Int
            let until: String?
        }

        let kind: String
        let idleSeconds: Int?
        let kept: Bool
        let until: String?
        let guest: Guest?
    }

    private struct Opened: Decodable {
        let kind: String
        let kept: Bool
        let migrated: Int
        let duplicates: Int
        let pending: Int
        let migrationRefused: String?
    }

    private let open = "{\"password\":\"\(WebHost.password)\"}"

    private func state(_ browser: Browser) async throws -> State {
        try await browser.send(.get, "/api/session").json(State.self)
    }

    @Test("One begins without a password, says until when, and is not begun twice")
    func begin() async throws {
        try await WebHost.run { host in
            let browser = host.browser(at: .secureLAN)
            let hello = try await browser.send(.get, "/api/hello")
            #expect(try hello.string("guests") == "true" && hello.string("session") == "none")
            #expect(hello.text.contains("\"trashDays\":30"))
            let begun = try await browser.send(.post, "/api/guest")
            #expect(begun.status == 201)
            let cookie = try #require(begun.headers[.setCookie])
            #expect(cookie.hasPrefix("__Host-safelight-8080-guest="))
            for attribute in ["; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age=2764800"] {
                #expect(cookie.contains(attribute))
            }
            _ = try await browser.upload("a.jpg")
            let again = try await browser.send(.post, "/api/guest")
            #expect(again.status == 200 && again.headers[.setCookie] == nil)
            let state = try await state(browser)
            #expect(state.kind == "guest" && state.kept && state.idleSeconds == nil)
            #expect(state.until?.hasSuffix("T00:00:00Z") == true && state.until == state.guest?.until)
            #expect(state.guest?.photos == 1)
            #expect(try await browser.send(.get, "/api/hello").string("session") == "guest")
            #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == ["a.jpg"])
        }
    }

    @Test("It may not do what needs a vault; without any session nobody may do anything")
    func forbidden() async throws {
        try await WebHost.run { host in
            let (guest, nobody) = (host.browser(), host.browser())
            _ = try await guest.send(.post, "/api/guest")
            let calls: [(HTTPRequest.Method, String, String?)] = [
                (.delete, "/api/session", nil), (.delete, "/api/sessions", nil),
                (.put, "/api/vault/password", "{\"current\":\"a\",\"password\":\"b\",\"confirmation\":\"b\"}"),
                (.delete, "/api/vault", "{\"password\":\"a\"}"), (.post, "/api/archive", "{\"ids\":[\"a\"]}"),
                (.post, "/api/uploads/check", "[]"),
            ]
            for (method, uri, body) in calls {
                let answer = try await guest.send(method, uri, body: body)
                #expect(answer.status == 403, "\(uri)")
                #expect(try answer.string("code") == "vault-needed", "\(uri)")
                #expect(try await nobody.send(method, uri, body: body).status == 401, "\(uri)")
            }
            #expect(try await nobody.send(.delete, "/api/guest").status == 401)
        }
    }

    @Test("A request with both cookies acts for the vault, and locking leaves the guest alone")
    func both() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            _ = try await browser.send(.post, "/api/guest")
            _ = try await browser.upload("guest.jpg")
            let password = WebHost.password
            let created = try await browser.send(
                .post, "/api/vaults",
                body: "{\"password\":\"\(password)\",\"confirmation\":\"\(password)\",\"migrate\":false}")
            #expect(try created.json(Opened.self).migrated == 0)
            _ = try await browser.upload("vault.jpg")
            #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == ["vault.jpg"])
            let both = try await state(browser)
            #expect(both.kind == "vault" && both.guest?.photos == 1 && both.idleSeconds != nil)
            let refused = try await browser.send(.post, "/api/guest")
            #expect(try refused.status == 403 && refused.string("code") == "vault-open")
            #expect(try await browser.send(.delete, "/api/session").status == 200)
            #expect(try await state(browser).kind == "guest")
            #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == ["guest.jpg"])
        }
    }

    @Test("Its photos move into the vault that it opens, and its cookie goes")
    func migration() async throws {
        try await WebHost.run { host in
            try await host.browser().createVault()
            let browser = host.browser()
            _ = try await browser.send(.post, "/api/guest")
            for name in ["a", "b"] { _ = try await browser.upload(name) }
            let opened = try await browser.send(.post, "/api/session", body: open)
            let counts = try opened.json(Opened.self)
            #expect((counts.kind, counts.migrated, counts.duplicates) == ("vault", 2, 0))
            #expect(counts.migrationRefused == nil && !counts.kept)
            #expect(!browser.cookieField.contains("guest"))
            #expect(try await browser.send(.get, "/api/photos").json(PhotoList.self).names == ["b", "a"])
            #expect(try await state(browser).guest == nil)
            _ = try await browser.send(.delete, "/api/session")
            #expect(try await state(browser).kind == "none")
        }
    }

    @Test("Deleted, it is gone with its photos and its cookie")
    func deletion() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            _ = try await browser.send(.post, "/api/guest")
            _ = try await browser.upload("a")
            let field = browser.cookieField
            #expect(try await browser.send(.delete, "/api/guest").status == 200)
            #expect(browser.cookieField.isEmpty)
            let replayed = try await browser.send(.get, "/api/photos", headers: [.cookie: field])
            #expect(replayed.status == 401)
        }
    }

    @Test("A vault that is kept open says so, and its cookie outlives the browser")
    func keep() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            try await browser.createVault()
            let body = "{\"password\":\"\(WebHost.password)\",\"keep\":true}"
            let opened = try await browser.send(.post, "/api/session", body: body)
            #expect(try opened.json(Opened.self).kept)
            let cookie = opened.headers[values: .setCookie].first { $0.hasPrefix("safelight-80=") }
            #expect(cookie?.contains("Max-Age=2764800") == true)
            let kept = try await state(browser)
            #expect(kept.kept && kept.idleSeconds == nil && kept.until != nil)
            let other = host.browser()
            _ = try await other.send(.post, "/api/session", body: open)
            #expect(try await state(other).until == nil)
            #expect(try await other.send(.delete, "/api/sessions").status == 200)
            #expect(try await state(browser).kind == "none")
        }
    }
}
