import HTTPTypes
import Hummingbird
import Testing

@testable import Web

@Suite("Who is asked for a password by Basic")
struct BasicChallengeTests {
    private static let iPhone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/604.1"

    @Test(
        "programs are, whatever they call themselves",
        arguments: [
            [:], [.userAgent: "curl/8.14.1"], [.userAgent: "Wget/1.25.0", .accept: "*/*"],
            [.userAgent: "Mozilla/5.0 (Windows NT; Windows NT 10.0; de-DE) WindowsPowerShell/5.1.19041.1682"],
            [.userAgent: "Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.22631; en-US) PowerShell/7.4.0"],
            [.userAgent: "Mozilla/5.0 (compatible; MyUploader/1.0)"], [.userAgent: "Mozilla/4.0", .accept: "*/*"],
            [.userAgent: "Shortcuts/3602 CFNetwork/3826 Darwin/24.6.0", .acceptLanguage: "en-GB,en;q=0.9"],
        ] as [HTTPFields])
    func programs(fields: HTTPFields) {
        #expect(!BasicChallenge.isFromPage(fields))
    }

    @Test(
        "pages are not: browsers say what languages are wanted, or where a request comes from",
        arguments: [
            [.secFetchSite: "same-origin"], [.secFetchSite: "none", .userAgent: "curl/8.14.1"],
            [.userAgent: iPhone, .acceptLanguage: "de-DE,de;q=0.9"], [.userAgent: iPhone, .referer: "http://a.local/"],
            [.userAgent: iPhone, .origin: "http://a.local"], [.userAgent: iPhone, .cookie: "safelight=x"],
            [.userAgent: iPhone, .upgradeInsecureRequests: "1"],
        ] as [HTTPFields])
    func pages(fields: HTTPFields) {
        #expect(BasicChallenge.isFromPage(fields))
    }

    private func answer(_ request: String, to host: WebHost) async throws -> String {
        let (stream, answers) = AsyncStream.makeStream(of: String.self)
        try await host.listening { port in
            answers.yield(
                try await RawConnection.exchange(port: port, [request + "Host: localhost\r\nConnection: close\r\n\r\n"])
            )
        }
        for await answer in stream { return answer }
        return ""
    }

    @Test(
        "a 401 to a program has the challenge, without a password and after a wrong one",
        arguments: [
            "GET /api/photos HTTP/1.1\r\n", "HEAD /api/photos HTTP/1.1\r\n",
            "GET /api/photos HTTP/1.1\r\nAuthorization: Basic Ondyb25nIG9uZQ==\r\n",
            "GET /api/photos HTTP/1.1\r\nAuthorization: Basic !\r\n",
            "GET /api/photos HTTP/1.1\r\nAuthorization: Negotiate abcd\r\n",
            "PUT /api/photos/a.jpg HTTP/1.1\r\nContent-Length: 0\r\n",
            "POST /api/uploads HTTP/1.1\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 5\r\n",
        ])
    func challenge(request: String) async throws {
        try await WebHost.run { host in
            let answer = try await answer(request, to: host)
            #expect(answer.hasPrefix("HTTP/1.1 401 "))
            #expect(answer.contains("WWW-Authenticate: Basic realm=\"Safelight\", charset=\"UTF-8\"\r\n"))
        }
    }

    @Test("a page gets none, after a wrong password either")
    func page() async throws {
        try await WebHost.run { host in
            try await host.client { browser in
                let answer = try await browser.send(.get, "/api/photos")
                #expect(answer.status == 401 && answer.headers[.wwwAuthenticate] == nil)
                let wrong = try await browser.send(
                    .post, "/api/session", headers: [.contentType: "application/json"],
                    body: #"{"password": "a wrong one"}"#)
                #expect(wrong.status == 401 && wrong.headers[.wwwAuthenticate] == nil)
            }
        }
    }
}
