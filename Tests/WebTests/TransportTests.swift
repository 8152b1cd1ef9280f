import HTTPTypes
import Testing

@testable import Web

/// Sessions and the connections that they began on.
@Suite struct TransportTests {
    @Test("Over TLS every cookie has the prefix that keeps other hosts and plain HTTP away from it")
    func prefix() async throws {
        try await WebHost.run { host in
            let body = "{\"password\":\"\(WebHost.password)\",\"confirmation\":\"\(WebHost.password)\"}"
            let answer = try await host.browser(at: .secureLAN).send(.post, "/api/vaults", body: body)
            let fields = answer.headers[values: .setCookie]
            #expect(fields.count == 2)
            for field in fields {
                #expect(field.hasPrefix("__Host-safelight-8080"))
                #expect(field.contains("; Path=/; HttpOnly; SameSite=Strict"))
                #expect(field.hasSuffix("; Secure") && !field.contains("Domain"))
            }
        }
    }

    @Test("A session that began over TLS is none over plain HTTP, and the reverse")
    func sessions() async throws {
        try await WebHost.run(plainHTTP: .allow) { host in
            for (here, there) in [(Place.secureLAN, Place.lan), (.lan, .secureLAN), (.secureLAN, .host)] {
                let browser = host.browser(at: here)
                try await browser.createVault()
                _ = try await browser.send(.post, "/api/session", body: "{\"password\":\"\(WebHost.password)\"}")
                #expect(try await browser.send(.get, "/api/session").string("kind") == "vault")
                let carried: HTTPFields = [.cookie: browser.cookieField]
                let other = host.browser(at: there)
                #expect(try await other.send(.get, "/api/session", headers: carried).string("kind") == "none")
                #expect(try await other.send(.get, "/api/photos", headers: carried).status == 401)
                #expect(try await other.send(.delete, "/api/session", headers: carried).status == 401)
                #expect(try await browser.send(.get, "/api/session").string("kind") == "vault")
            }
        }
    }

    @Test("Locking over TLS takes the cookie away under its own name")
    func expiry() async throws {
        try await WebHost.run { host in
            let browser = host.browser(at: .secureLAN)
            try await browser.createVault()
            let locked = try await browser.send(.delete, "/api/session")
            #expect(
                locked.headers[.setCookie]
                    == "__Host-safelight-8080=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure")
        }
    }

    @Test("Hello says how the page was reached and what the host is trusted by")
    func hello() async throws {
        try await WebHost.run { host in
            let secure = try await host.browser(at: .secureLAN).send(.get, "/api/hello")
            #expect(try secure.string("secure") == "true" && secure.string("certificate") == "authority")
            #expect(try await host.browser().send(.get, "/api/hello").string("secure") == "false")
        }
        try await WebHost.run(certificate: nil) { host in
            let answer = try await host.browser().send(.get, "/api/hello")
            #expect(!answer.text.contains("\"certificate\":\""))
        }
    }
}
