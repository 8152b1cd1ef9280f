import Discovery
import HTTPTypes
import Testing

@testable import Records
@testable import Web

@Suite("Ways into a vault over HTTP")
struct WayRouteTests {
    private struct List: Decodable {
        struct Way: Decodable {
            let id: String
            let kind: String
            let label: String
            let createdAt: String
            let current: Bool
        }

        let ways: [Way]
    }

    private let current = "\"current\":\"\(WebHost.password)\""
    private let secret = String(repeating: "A", count: 43)

    private func ways(_ browser: Browser) async throws -> [List.Way] {
        try await browser.send(.get, "/api/vault/ways").json(List.self).ways
    }

    private func add(_ fields: String, _ browser: Browser) async throws -> Answer {
        try await browser.send(.post, "/api/vault/ways", body: "{\(current),\(fields)}")
    }

    private func open(_ fields: String, _ browser: Browser) async throws -> Answer {
        try await browser.send(.post, "/api/session", body: "{\(fields)}")
    }

    @Test("An app's code comes with what finds the host and knows it, in a picture")
    func pairing() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            try await browser.createVault()
            let made = try await add("\"kind\":\"app\",\"label\":\"a phone\"", browser)
            let (code, pairing) = (try made.string("code"), try made.string("pairing"))
            let digest = (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(
                pairing == "safelight-app:?host=darkroom.local%3A8080&host=192.168.1.20%3A8080"
                    + "&authority=\(digest)&code=\(code)")
            #expect(try made.string("picture") == QRCode(pairing).svg)
        }
        // A host that has no certificate cannot be known.
        try await WebHost.run(certificate: nil) { host in
            let browser = host.browser()
            try await browser.createVault()
            let made = try await add("\"kind\":\"app\"", browser)
            #expect(made.status == 201 && !made.text.contains("pairing"))
        }
    }

    @Test("Each kind is added, listed, opens by its own field, and is removed")
    func life() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            try await browser.createVault()
            let second = "\"password\":\"quiet amber lamp\",\"confirmation\":\"quiet amber lamp\""
            let password = try await add("\"kind\":\"password\",\(second),\"label\":\"Grandma\"", browser)
            #expect(try password.status == 201 && password.string("label") == "Grandma")
            let recovery = try await add("\"kind\":\"recovery\"", browser)
            let code = try recovery.string("code")
            #expect(recovery.status == 201 && code.count == 34)
            #expect(try await add("\"kind\":\"passkey\",\"secret\":\"\(secret)\"", browser).status == 201)
            #expect(try await add("\"kind\":\"passkey\",\"secret\":\"\(secret)\"", browser).status == 200)
            let listed = try await ways(browser)
            #expect(listed.map(\.current) == [true, false, false, false])
            #expect(Set(listed.map(\.kind)) == ["password", "recovery", "passkey"])
            #expect(listed.allSatisfy { $0.createdAt.hasSuffix("T00:00:00Z") })
            for fields in [
                "\"password\":\"quiet amber lamp\"", "\"recovery\":\"\(code)\"",
                "\"password\":\"\(code.lowercased())\"",
                "\"passkey\":\"\(secret)\"",
            ] { #expect(try await open(fields, host.browser()).status == 200, "\(fields)") }
            for way in listed where !way.current {
                let answer = try await browser.send(.delete, "/api/vault/ways/\(way.id)", body: "{\(current)}")
                #expect(answer.status == 200)
            }
            #expect(try await ways(browser).count == 1)
            for fields in [
                "\"password\":\"quiet amber lamp\"", "\"recovery\":\"\(code)\"", "\"passkey\":\"\(secret)\"",
            ] {
                #expect(try await open(fields, host.browser()).status == 401, "\(fields)")
            }
        }
    }

    @Test("Another key of the vault leaves the password that was typed, and this session")
    func rotation() async throws {
        struct Rotation: Decodable { let finished: Bool }
        try await WebHost.run { host in
            let browser = host.browser()
            try await browser.createVault()
            let code = try await add("\"kind\":\"recovery\"", browser).string("code")
            let refused = try await browser.send(.post, "/api/vault/rotate", body: "{\"password\":\"\(code)\"}")
            #expect(try refused.status == 409 && refused.string("code") == "password-needed")
            let body = "{\"password\":\"\(WebHost.password)\"}"
            let answer = try await browser.send(.post, "/api/vault/rotate", body: body)
            #expect(try answer.status == 200 && answer.json(Rotation.self).finished)
            #expect(try await ways(browser).map(\.kind) == ["password"])
            #expect(try await open("\"recovery\":\"\(code)\"", host.browser()).status == 401)
            #expect(try await host.browser().send(.post, "/api/vault/rotate", body: body).status == 401)
        }
    }

    @Test("Who is there and asks for nothing else says so, with a session of either kind")
    func use() async throws {
        try await WebHost.run { host in
            let (browser, guest) = (host.browser(), host.browser())
            #expect(try await browser.send(.post, "/api/session/use").status == 401)
            try await browser.createVault()
            let answer = try await browser.send(.post, "/api/session/use")
            #expect(try answer.status == 200 && answer.string("kind") == "vault")
            #expect(try await guest.send(.post, "/api/guest").status == 201)
            #expect(try await guest.send(.post, "/api/session/use").string("kind") == "guest")
        }
    }

    @Test("What cannot be is refused with its code")
    func refusals() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            try await browser.createVault()
            _ = try await add("\"kind\":\"recovery\"", browser)
            let id = try #require(try await ways(browser).first).id
            let taken = "\"password\":\"\(WebHost.password)\",\"confirmation\":\"\(WebHost.password)\""
            let calls: [(Answer, Int, String)] = [
                (try await add("\"kind\":\"recovery\"", browser), 409, "recovery-exists"),
                (try await add("\"kind\":\"password\",\(taken)", browser), 409, "password-taken"),
                (try await add("\"kind\":\"passkey\",\"secret\":\"AAAA\"", browser), 400, "passkey-invalid"),
                (try await add("\"kind\":\"key\"", browser), 400, "malformed-json"),
                (try await browser.send(.delete, "/api/vault/ways/\(id)", body: "{\(current)}"), 409, "last-password"),
                (try await browser.send(.delete, "/api/vault/ways/x", body: "{\(current)}"), 404, "no-such-way"),
                (try await open("\"recovery\":\"0000\"", browser), 400, "recovery-code-invalid"),
                (try await open("\"recovery\":null,\"passkey\":\"A\"", browser), 400, "passkey-invalid"),
                (try await open("\"password\":\"a\",\"passkey\":\"\(secret)\"", browser), 400, "malformed-json"),
                (try await open("\"passkey\":\"\(secret)\"", browser), 401, "no-such-vault"),
            ]
            for (answer, status, code) in calls {
                #expect(try (answer.status, answer.string("code")) == (status, code))
            }
        }
    }

    @Test("They are for an open vault only")
    func forbidden() async throws {
        try await WebHost.run { host in
            let (guest, nobody) = (host.browser(), host.browser())
            _ = try await guest.send(.post, "/api/guest")
            for (browser, status) in [(guest, 403), (nobody, 401)] {
                #expect(try await browser.send(.get, "/api/vault/ways").status == status)
                #expect(try await add("\"kind\":\"recovery\"", browser).status == status)
                #expect(try await browser.send(.delete, "/api/vault/ways/x", body: "{\(current)}").status == status)
            }
        }
    }

    @Test("Removing the way by which one came ends the session and its cookie")
    func own() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            try await browser.createVault()
            _ = try await add("\"kind\":\"passkey\",\"secret\":\"\(secret)\"", browser)
            let phone = host.browser()
            _ = try await open("\"passkey\":\"\(secret)\"", phone)
            let way = try #require(try await ways(phone).first { $0.current })
            #expect(way.kind == "passkey")
            #expect(try await phone.send(.delete, "/api/vault/ways/\(way.id)", body: "{\(current)}").status == 200)
            #expect(try await phone.send(.get, "/api/session").string("kind") == "none")
            #expect(!phone.cookieField.contains("safelight="))
            #expect(try await browser.send(.get, "/api/session").string("kind") == "vault")
        }
    }

    @Test("A vault is made with a recovery code when asked for, and says it once")
    func creation() async throws {
        try await WebHost.run { host in
            let browser = host.browser()
            let password = WebHost.password
            let created = try await browser.send(
                .post, "/api/vaults",
                body: "{\"password\":\"\(password)\",\"confirmation\":\"\(password)\",\"recovery\":true}")
            let code = try created.string("recoveryCode")
            #expect(created.status == 201)
            #expect(try await open("\"recovery\":\"\(code)\"", host.browser()).status == 200)
            #expect(!(try await open("\"password\":\"\(password)\"", host.browser()).text.contains("recoveryCode")))
        }
    }
}
