import HTTPTypes
import Testing

@testable import Web

@Suite struct RouteTests {
    @Test("Every answer carries the security headers")
    func securityHeaders() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                for uri in ["/", "/js/main.js", "/api/hello", "/api/photos", "/nothing", "/health"] {
                    let answer = try await browser.send(.get, uri)
                    #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; ") == true)
                    #expect(answer.headers[.crossOriginOpenerPolicy] == "same-origin")
                    #expect(answer.headers[.crossOriginResourcePolicy] == "same-origin")
                    #expect(answer.headers[.originAgentCluster] == "?1")
                    #expect(answer.headers[.xContentTypeOptions] == "nosniff")
                    #expect(answer.headers[.referrerPolicy] == "same-origin")
                    #expect(answer.headers[.permissionsPolicy] != nil)
                    #expect(answer.headers[.date]?.hasSuffix(" GMT") == true)
                    #expect(
                        answer.headers[.cacheControl] == (uri == "/" || uri.hasSuffix(".js") ? "no-cache" : "no-store"))
                }
            }
        }
    }

    @Test("The page's files are served from memory, and nothing else is")
    func staticFiles() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                let index = try await browser.send(.get, "/")
                #expect(index.status == 200 && index.text == "<!DOCTYPE html>")
                #expect(index.headers[.contentType] == "text/html; charset=utf-8")
                let script = try await browser.send(.get, "/js/main.js?v=1")
                #expect(script.headers[.contentType] == "text/javascript; charset=utf-8")
                let tag = try #require(script.headers[.entityTag])
                #expect(try await browser.send(.get, "/js/main.js", headers: [.ifNoneMatch: tag]).status == 304)
                let head = try await browser.send(.head, "/index.html")
                #expect(head.status == 200 && head.headers[.contentLength] == "15" && head.bytes.isEmpty)
                #expect(try await browser.send(.post, "/index.html").status == 405)
                for uri in [
                    "/.secret", "/js", "/js/", "/../www/index.html", "/%2e%2e/data", "/js/../index.html",
                    "//index.html",
                    "/js%2fmain.js", "/index.html%00", "/js\\main.js", "/INDEX.HTML",
                ] {
                    #expect(try await browser.send(.get, uri).status == 404, "\(uri)")
                }
            }
        }
    }

    @Test("Unknown addresses, methods that are not taken and unknown methods are told apart")
    func methods() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                let missing = try await browser.send(.get, "/api/nothing")
                #expect(missing.status == 404)
                #expect(missing.headers[.contentType] == "application/problem+json")
                #expect(try missing.string("code") == "not-found")
                let refused = try await browser.send(.patch, "/api/session")
                #expect(refused.status == 405)
                #expect(
                    Set(refused.headers[.allow]?.split(separator: ", ") ?? []) == ["GET", "HEAD", "POST", "DELETE"])
                let known = try #require(HTTPRequest.Method("PROPFIND"))
                #expect(try await browser.send(known, "/api/session").status == 405)
                let unknown = try #require(HTTPRequest.Method("BREW"))
                for method in [unknown, .trace] { #expect(try await browser.send(method, "/").status == 501) }
            }
        }
    }

    @Test("Hello is the same whether or not a vault exists")
    func hello() async throws {
        try await WebHost.run { host in
            let before = try await host.client { try await $0.send(.get, "/api/hello").text }
            #expect(before.contains("\"registration\":\"open\"") && before.contains("\"version\":\"1.2.3\""))
            #expect(before.contains("\"guests\":true") && before.contains("\"secure\":false"))
            try await host.client { try await $0.createVault() }
            let after = try await host.client { try await $0.send(.get, "/api/hello").text }
            #expect(before == after)
        }
    }

    @Test("Health passes, and fails while the host is stopping; the process is up in both")
    func health() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                let healthy = try await browser.send(.get, "/health")
                #expect(healthy.status == 200)
                #expect(healthy.headers[.contentType] == "application/health+json")
                await host.service.beginDraining()
                #expect(try await browser.send(.get, "/health").status == 503)
                #expect(try await browser.send(.get, "/health/live").status == 200)
            }
        }
    }

    @Test("A vault is created, locked, opened, given another password and erased")
    func vaultLife() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                let body = "{\"password\":\"\(WebHost.password)\",\"confirmation\":\"\(WebHost.password)\"}"
                let created = try await browser.send(.post, "/api/vaults", body: body)
                #expect(created.status == 201)
                #expect(try created.string("kind") == "vault")
                let cookies = created.headers[values: .setCookie]
                #expect(cookies.count == 2)
                #expect(cookies.allSatisfy { $0.contains("HttpOnly; SameSite=Strict") })
                let taken = try await browser.send(.post, "/api/vaults", body: body)
                #expect(taken.status == 409)
                #expect(try taken.string("code") == "password-taken")
                #expect(try await browser.send(.get, "/api/session").string("kind") == "vault")

                let locked = try await browser.send(.delete, "/api/session")
                #expect(locked.status == 200 && locked.headers[.clearSiteData] == "\"cache\"")
                #expect(try await browser.send(.get, "/api/session").string("kind") == "none")
                #expect(try await browser.send(.get, "/api/photos").status == 401)
                #expect(try await browser.send(.delete, "/api/session").status == 401)

                let wrong = try await browser.send(.post, "/api/session", body: "{\"password\":\"nobody's lamp\"}")
                #expect(wrong.status == 401)
                #expect(try wrong.string("code") == "no-such-vault")
                let open = "{\"password\":\"\(WebHost.password)\"}"
                #expect(try await browser.send(.post, "/api/session", body: open).status == 200)

                let change =
                    "{\"current\":\"\(WebHost.password)\",\"password\":\"eight brass lamps\","
                    + "\"confirmation\":\"eight brass lamps\"}"
                #expect(try await browser.send(.put, "/api/vault/password", body: change).status == 200)
                #expect(try await browser.send(.delete, "/api/sessions").status == 200)
                #expect(try await browser.send(.post, "/api/session", body: open).status == 401)
                let openNew = "{\"password\":\"eight brass lamps\"}"
                #expect(try await browser.send(.post, "/api/session", body: openNew).status == 200)
                #expect(try await browser.send(.delete, "/api/vault", body: openNew).status == 202)
                #expect(try await browser.send(.post, "/api/session", body: openNew).status == 401)
            }
        }
    }

    @Test("The rules for new passwords are told by their codes")
    func passwordRules() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                for (body, code) in [
                    ("{}", "password-empty"),
                    ("{\"password\":\"short\",\"confirmation\":\"short\"}", "password-too-short"),
                    ("{\"password\":\"long enough\",\"confirmation\":\"long enougH\"}", "password-mismatch"),
                    ("{\"password\":\"password123\",\"confirmation\":\"password123\"}", "password-too-common"),
                    ("{\"password\":", "malformed-json"), ("{\"password\":1}", "malformed-json"),
                    ("", "malformed-json"),
                ] {
                    let answer = try await browser.send(.post, "/api/vaults", body: body)
                    #expect(answer.status == 400)
                    #expect(try answer.string("code") == code)
                }
                let long = "{\"password\":\"" + String(repeating: "x", count: 5000) + "\"}"
                #expect(try await browser.send(.post, "/api/session", body: long).status == 413)
            }
        }
    }

    @Test("A request that another site may have caused changes nothing")
    func crossSite() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                try await browser.createVault()
                let foreign: HTTPFields = [.secFetchSite: "cross-site", .origin: "https://evil.example"]
                let refused = try await browser.send(.delete, "/api/session", headers: foreign)
                #expect(refused.status == 403)
                #expect(try refused.string("code") == "cross-site")
                #expect(try await browser.send(.get, "/api/session").string("kind") == "vault")
                let simple = try await browser.send(
                    .post, "/api/photos", headers: [.contentType: "text/plain"], body: "x")
                #expect(simple.status == 415)
                let gzip = try await browser.send(
                    .put, "/api/photos/a.jpg", headers: [.contentEncoding: "gzip"], body: "x")
                #expect(gzip.status == 415)
            }
        }
    }
}
