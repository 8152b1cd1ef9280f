import HTTPTypes
import Listener
import ListenerSupport
import TestSupport
import Testing

@testable import Web

@Suite struct ConnectionTests {
    private static let basic = "Authorization: Basic OnNldmVuIHdvb2RlbiBsYW1wcw=="

    private static func put(_ name: String, _ fields: String) -> String {
        "PUT /api/photos/\(name) HTTP/1.1\r\nHost: localhost\r\n\(basic)\r\n\(fields)\r\n\r\n"
    }

    private func names(on host: WebHost) async throws -> [String] {
        try await host.client { browser in
            _ = try await browser.send(.post, "/api/session", body: "{\"password\":\"\(WebHost.password)\"}")
            return try await browser.send(.get, "/api/photos").json(PhotoList.self).names
        }
    }

    @Test(
        "A body that breaks off leaves nothing, however it was framed and however it ended",
        arguments: [
            ("Content-Length: 1000", "partial"), ("Transfer-Encoding: chunked", "7\r\npartial\r\n"),
            ("Transfer-Encoding: chunked", "7\r\npart"), ("Transfer-Encoding: chunked", ""),
            ("Transfer-Encoding: chunked", "7\r\npartial\r\n0\r\n"),
        ], [RawConnection.Ending.finishes, .resets])
    func cutOff(body: (framing: String, bytes: String), ending: RawConnection.Ending) async throws {
        try await WebHost.run { host in
            try await host.client { try await $0.createVault() }
            try await host.listening { port in
                try await RawConnection.exchange(
                    port: port, [Self.put("cut.jpg", body.framing), body.bytes], ending: ending)
            }
            #expect(try await names(on: host) == [])
        }
    }

    @Test("A whole body is kept, chunked or not, and the connection goes on")
    func whole() async throws {
        try await WebHost.run { host in
            try await host.client { try await $0.createVault() }
            try await host.listening { port in
                let answer = try await RawConnection.exchange(
                    port: port,
                    [
                        Self.put("a.jpg", "Content-Length: 5") + "photo",
                        Self.put("b.jpg", "Transfer-Encoding: chunked"),
                        "5\r\nother\r\n", "0\r\n\r\n", Self.put("c.jpg", "Content-Length: 0\r\nConnection: close"),
                    ])
                #expect(answer.components(of: "HTTP/1.1 201 Created") == 3)
            }
            #expect(try await names(on: host) == ["c.jpg", "b.jpg", "a.jpg"])
        }
    }

    @Test("A refused body gets its answer, is not read to its end, and the connection closes")
    func refused() async throws {
        var limits = ListenerLimits.unhurried
        limits.refusedBodyLinger = .milliseconds(100)
        let piece = String(repeating: "x", count: 65_536)
        try await WebHost.run(fileByteCount: 1000) { host in
            try await host.client { try await $0.createVault() }
            try await host.listening(limits: limits) { port in
                for framing in ["Content-Length: 1000000000", "Transfer-Encoding: chunked"] {
                    let chunk = framing.hasPrefix("T") ? "10000\r\n\(piece)\r\n" : piece
                    let answer = try await RawConnection.exchange(
                        port: port, [Self.put("big.jpg", framing)] + Array(repeating: chunk, count: 4))
                    #expect(answer.hasPrefix("HTTP/1.1 413 "))
                    #expect(answer.contains("Connection: close\r\n") && answer.contains("\"file-too-large\""))
                }
            }
            #expect(try await names(on: host) == [])
        }
    }

    @Test("A photo without any body is asked for its length, and nothing is kept")
    func withoutLength() async throws {
        try await WebHost.run { host in
            try await host.client { try await $0.createVault() }
            try await host.listening { port in
                let answer = try await RawConnection.exchange(port: port, [Self.put("none.jpg", "Connection: close")])
                #expect(answer.hasPrefix("HTTP/1.1 411 ") && answer.contains("\"length-required\""))
            }
            #expect(try await names(on: host) == [])
        }
    }

    @Test(
        "A name that is not this host's is answered 421",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n", 421), ("GET / HTTP/1.1\r\nHost:\r\n", 421),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.2\r\n", 421), ("GET / HTTP/1.1\r\nHost: 2130706433\r\n", 421),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n", 400),
            ("GET http://localhost/ HTTP/1.1\r\nHost: evil.example\r\n", 400),
            ("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n", 400),
            ("GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n", 421),
            ("GET evil.example:80 HTTP/1.1\r\nHost: localhost\r\n", 400), ("GET / HTTP/1.0\r\n", 421),
            ("GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n", 200),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:1234\r\n", 200), ("GET / HTTP/1.1\r\nHost: DARKROOM.local\r\n", 200),
            ("GET / HTTP/1.1\r\nHost: photos.example.\r\n", 200),
        ])
    func hosts(request: String, status: Int) async throws {
        try await WebHost.run { host in
            try await host.listening { port in
                let answer = try await RawConnection.exchange(port: port, [request + "Connection: close\r\n\r\n"])
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(30))")
            }
        }
    }

    @Test(
        "What could be read in two ways is refused, and the connection closes",
        arguments: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked", "Content-Length: 5\r\nContent-Length: 6",
            "Content-Length: -5", "Content-Length: 0x5", "Content-Length: +5", "Transfer-Encoding: gzip",
            "X-Long: \(String(repeating: "x", count: 40_000))", "Folded: a\r\n b: c", "Space : x",
        ])
    func malformed(fields: String) async throws {
        try await WebHost.run { host in
            try await host.client { try await $0.createVault() }
            try await host.listening { port in
                let request = Self.put("a.jpg", fields) + "5\r\nphoto\r\n0\r\n\r\n"
                let answer = try await RawConnection.exchange(port: port, [request], ending: .finishes)
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(30))")
            }
            #expect(try await names(on: host) == [])
        }
    }

    @Test("Too many wrong passwords from one address have to wait")
    func throttle() async throws {
        try await WebHost.run { host in
            try await host.listening { port in
                let body = "{\"password\":\"wrong password\"}"
                let request = "POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n"
                var last = ""
                // The wait doubles with each failure, so in the end it is longer than any machine takes for a request.
                for _ in 0..<20 where !last.hasPrefix("HTTP/1.1 429 ") {
                    last = try await RawConnection.exchange(port: port, [request + "Connection: close\r\n\r\n" + body])
                }
                #expect(last.hasPrefix("HTTP/1.1 429 ") && last.contains("Retry-After: "))
            }
        }
    }
}

extension String {
    /// How often `part` occurs.
    fileprivate func components(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
