import HTTPTypes
import Testing

@testable import Web

@Suite("What the devices of a vault hear of each other")
struct SessionNewsTests {
    private struct News: Decodable {
        struct Sending: Decodable, Equatable {
            let device: String
            let done: Int
            let total: Int
        }

        let listing: UInt64?
        let sending: [Sending]?
    }

    private static func news(_ browser: Browser) async throws -> News {
        try await browser.send(.get, "/api/session").json(News.self)
    }

    private static func open(_ browser: Browser) async throws {
        let answer = try await browser.send(.post, "/api/session", body: "{\"password\":\"\(WebHost.password)\"}")
        #expect(answer.status == 200)
    }

    @Test("A number tells every session that photos came and went, and stays while nothing does")
    func listing() async throws {
        try await WebHost.run { host in
            let (one, other) = (host.browser(), host.browser())
            #expect(try await Self.news(one).listing == nil)
            try await one.createVault()
            try await Self.open(other)
            let empty = try #require(try await Self.news(other).listing)
            #expect(try await Self.news(other).listing == empty)
            let id = try await one.upload("a.txt", Array("a".utf8))
            let filled = try #require(try await Self.news(other).listing)
            #expect(filled != empty && filled < 1 << 53)
            #expect(try await one.send(.post, "/api/photos/delete", body: "{\"ids\":[\"\(id)\"]}").status == 200)
            let trashed = try await Self.news(other).listing
            #expect(trashed != filled && trashed != empty)
            // What is asked for by that number is there by then.
            #expect(try await other.send(.get, "/api/timeline").text == "[]")
        }
    }

    @Test("The others hear how far a device is with sending, until all has come; it does not hear of itself")
    func sending() async throws {
        try await WebHost.run { host in
            let (phone, laptop) = (host.browser(), host.browser())
            try await phone.createVault()
            try await Self.open(laptop)
            let tell = { (text: String) in try await phone.send(.post, "/api/session/sending", body: text).status }
            #expect(try await tell("{\"device\":\"phone\",\"done\":12,\"total\":40}") == 200)
            #expect(try await Self.news(laptop).sending == [.init(device: "phone", done: 12, total: 40)])
            #expect(try await Self.news(phone).sending == nil)
            for wrong in [
                "{\"device\":\"toaster\",\"done\":1,\"total\":2}", "{\"device\":\"phone\",\"done\":3,\"total\":2}",
                "{\"device\":\"phone\",\"done\":-1,\"total\":2}", "{}", "[]",
            ] {
                #expect(try await tell(wrong) == 400)
            }
            #expect(try await tell("{\"device\":\"phone\",\"done\":40,\"total\":40}") == 200)
            #expect(try await Self.news(laptop).sending == nil)
            let stranger = host.browser()
            #expect(
                try await stranger.send(
                    .post, "/api/session/sending", body: "{\"device\":\"phone\",\"done\":1,\"total\":2}"
                ).status == 401)
        }
    }
}
