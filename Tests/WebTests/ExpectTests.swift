import Listener
import ListenerSupport
import Synchronization
import TestSupport
import Testing

@testable import Web

/// `Expect`, over real connections.
@Suite struct ExpectTests {
    private static let host = "Host: localhost\r\nConnection: close\r\n"
    private static let basic = "Authorization: Basic OnNldmVuIHdvb2RlbiBsYW1wcw==\r\n"

    /// The head of a request whose body has five bytes.
    private static func put(
        _ expectation: String, length: Int = 5, version: String = "1.1", fields: String = basic
    ) -> String {
        "PUT /api/photos/a.jpg HTTP/\(version)\r\n\(host)\(fields)Content-Length: \(length)\r\nExpect: \(expectation)\r\n\r\n"
    }

    /// Sends the request alone.
    private func exchange(_ request: String) async throws -> String {
        try await withHost { try await RawConnection.exchange($0, [request]) }
    }

    private func withHost(
        secure: Bool = false, _ body: @Sendable @escaping (RawConnection.Target) async throws -> String
    ) async throws -> String {
        var limits = ListenerLimits.unhurried
        limits.refusedBodyLinger = .milliseconds(50)
        let answer = Mutex("")
        try await WebHost.run(fileByteCount: 1000) { host in
            try await host.client { try await $0.createVault() }
            try await host.listening(limits: limits) { port in
                let text = try await body(secure ? .tls(port: port) : .tcp(host: "127.0.0.1", port: port))
                answer.withLock { $0 = text }
            }
        }
        return answer.withLock { $0 }
    }

    @Test(
        "Leave to send is given once, to a body that is wanted and waits for it", arguments: [false, true],
        ["100-continue", "100-Continue", " 100-CONTINUE , 100-continue"])
    func wanted(secure: Bool, expectation: String) async throws {
        let leave = "HTTP/1.1 100 Continue\r\n\r\n"
        let answer = try await withHost(secure: secure) {
            try await RawConnection.exchange($0, Self.put(expectation), until: leave, "photo")
        }
        #expect(answer.hasPrefix(leave + "HTTP/1.1 201 Created\r\n"), "\(answer.prefix(80))")
        #expect(answer.split(separator: "HTTP/1.1 ").count == 2)
    }

    @Test("A body that does not wait for its leave is taken")
    func impatient() async throws {
        let answer = try await exchange(Self.put("100-continue") + "photo")
        #expect(answer.contains("HTTP/1.1 201 Created\r\n"))
    }

    @Test("A request that is refused before its body is read gets its answer in place of the leave")
    func refused() async throws {
        let refusals: [(String, String)] = [
            (Self.put("100-continue", length: 5000), "413"), (Self.put("100-continue", fields: ""), "401"),
            (Self.put("100-continue", fields: "Origin: https://evil.example\r\n"), "403"),
            (Self.put("100-continue").replacing("localhost", with: "evil.example"), "421"),
            (Self.put("100-continue", fields: "Content-Encoding: gzip\r\n" + Self.basic), "415"),
            (Self.put("100-continue").replacing("PUT", with: "POST"), "405"),
            (Self.put("100-continue").replacing("/photos/", with: "/nothing/"), "404"),
        ]
        for (request, status) in refusals {
            let answer = try await exchange(request)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(status) \(answer.prefix(40))")
            #expect(answer.contains("Connection: close\r\n") && answer.split(separator: "HTTP/1.1 ").count == 1)
        }
    }

    @Test("A wrong password is told before the photo is sent")
    func wrongPassword() async throws {
        let fields = "Authorization: Basic Ondyb25nIHBhc3N3b3Jk\r\n"
        let answer = try await exchange(Self.put("100-continue", fields: fields))
        #expect(answer.hasPrefix("HTTP/1.1 401 "))
    }

    @Test("Any other expectation is refused", arguments: ["200-ok", "100-continue, x", "100", "100-continue;q=1"])
    func unknown(expectation: String) async throws {
        let answer = try await exchange(Self.put(expectation))
        #expect(answer.hasPrefix("HTTP/1.1 417 ") && answer.contains("\"expectation\""), "\(answer.prefix(40))")
    }

    /// Proxies speak it to what stands behind them, so that here it is a stranger's, and without encryption gets nothing.
    @Test("A client of HTTP/1.0 gets one answer, whatever it expects")
    func old() async throws {
        for expectation in ["100-continue", "200-ok"] {
            let answer = try await exchange(Self.put(expectation, version: "1.0") + "photo")
            #expect(
                answer.split(separator: "HTTP/1.").count == 1 && answer.contains(" 426 Upgrade Required\r\n"),
                "\(answer.prefix(80))")
        }
    }

    @Test("Without a body there is nothing to give leave for")
    func withoutBody() async throws {
        let request = "GET /api/hello HTTP/1.1\r\n\(Self.host)Expect: 100-continue\r\n\r\n"
        #expect(try await exchange(request).hasPrefix("HTTP/1.1 200 "))
    }
}
