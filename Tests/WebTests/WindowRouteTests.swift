import Discovery
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Records
@testable import Web

@Suite("Windows over HTTP")
struct WindowRouteTests {
    private struct Shown: Decodable { let code: String }

    private struct Month: Decodable { let id: [String] }

    /// An owner's window of one file of a thousand bytes, and a browser that looks through it; where the file is.
    private func looking(_ host: WebHost) async throws -> (Browser, original: String) {
        let owner = host.browser()
        try await owner.createVault()
        let id = try await owner.upload("a.bin", Array(repeating: 7, count: 1000))
        let lastDay = CivilDay.text(UInt32(Date().timeIntervalSince1970 / 86_400) + 7)
        let fields = #""name":"Rome","lastDay":"\#(lastDay)","photos":["\#(id)"],"originals":true,"places":true"#
        let window = try await owner.send(.post, "/api/windows", body: "{\(fields)}")
        #expect(window.status == 201, "\(window.text)")
        let looker = host.browser()
        let code = try window.json(Shown.self).code
        let entered = try await looker.send(.post, "/see/api/enter", body: "{\"code\":\"\(code)\"}")
        #expect(entered.status == 201, "\(entered.text)")
        let months = try await looker.send(.get, "/see/api/timeline").text
        let month = try #require(months.split(separator: "\"").dropFirst().first)
        let shown = try await looker.send(.get, "/see/api/timeline/\(month)").json(Month.self).id
        return (looker, "/see/api/photos/\(try #require(shown.first))/original")
    }

    @Test("What visitors fetch in a day counts as it is sent, and who goes before that takes nothing from the others")
    func share() async throws {
        try await WebHost.run(windowBytesPerDay: 3000) { host in
            let (looker, original) = try await looking(host)
            for _ in 0..<10 {
                #expect(try await looker.send(.get, original, bytes: nil, takesBody: false).status == 200)
            }
            for _ in 0..<3 { #expect(try await looker.send(.get, original).status == 200) }
            #expect(try await looker.send(.get, original).status == 429)
            #expect(try await looker.send(.get, "/see/api/timeline").status == 200)
        }
    }
}
