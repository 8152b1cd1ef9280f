import Bytes
import ListenerSupport
import NIOCore
import TestSupport
import Testing

@testable import Listener

@Suite("One answer to each request", .timeLimit(.minutes(10)))
struct TurnTests {
    private static func put(_ path: String, _ fields: String) -> String {
        "PUT \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n"
    }

    @Test("Requests that come at once are answered in their order")
    func pipelined() async throws {
        try await TestDoor.open { door in
            let answer = try await RawClient.exchange(
                with: door.address, Self.put("/a", "Content-Length: 5") + "photo" + Self.put("/b", "Content-Length: 0"),
                Self.put("/c", "Transfer-Encoding: chunked"), "5\r\nphoto\r\n", "0\r\n\r\n",
                Self.put("/d", "Connection: close\r\nContent-Length: 0"))
            #expect(answer.bodies == ["/a 5", "/b 0", "/c 5", "/d 0"])
        }
    }

    @Test("Of requests that came at once, none begins whose connection has gone")
    func pipelinedAndGone() async throws {
        try await TestDoor.open { door in
            let client = try await RawClient.connect(to: door.address)
            let wait = "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n"
            let next = String(repeating: "GET /next HTTP/1.1\r\nHost: h\r\n\r\n", count: 200)
            try await client.send(wait + next)
            await door.events.wait(for: .began("/wait"))
            try await client.reset()
            while door.limiter.snapshot != .init() { await Task.yield() }
            door.gate.open()
            await door.events.wait(for: .received(0))
            _ = try await RawClient.exchange(
                with: door.address, Self.put("/last", "Connection: close\r\nContent-Length: 0"))
            let event = await door.events.first { [.began("/next"), .began("/last")].contains($0) }
            #expect(event == .began("/last"))
        }
    }

    @Test("What counts as many requests waits as many times for its turn, until its connection has gone")
    func turnsWithin() async throws {
        var limits = ListenerLimits.unhurried
        limits.requestPace = FairRateLimit.Rules(burst: 1, rate: 1, commonRate: 1)
        let stranger: ConnectionLimiter.Classify = { _, _ in .stranger(IPNetwork(IPAddress(ipv4: 1))) }
        try await TestDoor.open(limits: limits, classify: stranger) { door in
            let client = try await RawClient.connect(to: door.address)
            try await client.send("GET /turns HTTP/1.1\r\nHost: h\r\n\r\n")
            await door.events.wait(for: .began("/turns"))
            try await client.reset()
            let event = await door.events.first { _ in true }
            #expect(event == .failed("\(ChannelError.ioOnClosedChannel)"))
        }
    }

    @Test(
        "A body that breaks off is an error to its reader, however it was framed and however it ended",
        arguments: [
            ("Content-Length: 1000", "partial"), ("Transfer-Encoding: chunked", "7\r\npartial\r\n"),
            ("Transfer-Encoding: chunked", "7\r\npart"), ("Transfer-Encoding: chunked", ""),
            ("Transfer-Encoding: chunked", "7\r\npartial\r\n0\r\n"),
        ], [true, false])
    func cutOff(body: (framing: String, bytes: String), resets: Bool) async throws {
        try await TestDoor.open { door in
            let client = try await RawClient.connect(to: door.address)
            try await client.send(Self.put("/a", body.framing) + body.bytes)
            await door.events.wait(for: .began("/a"))
            if resets { try await client.reset() } else { try await client.finish() }
            #expect(
                await door.events.first { _ in true } == .failed("the connection ended within a request's body"))
        }
    }

    @Test(
        "A refused body gets its answer, is not read to its end, and the connection closes", arguments: [true, false])
    func refused(saysClose: Bool) async throws {
        var limits = ListenerLimits.unhurried
        limits.refusedBodyLinger = .milliseconds(200)
        let piece = String(repeating: "x", count: 65_536)
        try await TestDoor.open(limits: limits) { door in
            for framing in ["Content-Length: 1000000000", "Transfer-Encoding: chunked"] {
                let client = try await RawClient.connect(to: door.address)
                try await client.send(Self.put("/refuse", framing + (saysClose ? "\r\nConnection: close" : "")))
                let upload = Task {
                    while true { try await client.send(framing.hasPrefix("T") ? "10000\r\n\(piece)\r\n" : piece) }
                }
                let answer = await client.read()
                #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.hasSuffix("refused"), "\(answer.prefix(40))")
                #expect(answer.lowercased().contains("connection: close\r\n"))
                #expect(answer.bodies.count == 1)
                _ = try? await upload.value
            }
        }
    }

    @Test("A refused body that ends soon is read to its end, and its answer arrives")
    func refusedSoon() async throws {
        try await TestDoor.open { door in
            for _ in 0..<20 {
                let answer = try await RawClient.exchange(
                    with: door.address, Self.put("/refuse", "Content-Length: 500000\r\nConnection: close"),
                    String(repeating: "x", count: 500_000))
                #expect(answer.hasSuffix("refused"))
            }
        }
    }

    @Test(
        "A refused body that turns out to be malformed gets no second answer",
        arguments: ["x\r\n", "-1\r\n", "5\r\nphotos\r\n", "fffffffffffffffff\r\n"])
    func malformedBehindAnswer(chunk: String) async throws {
        var limits = ListenerLimits.unhurried
        limits.refusedBodyLinger = .milliseconds(200)
        try await TestDoor.open(limits: limits) { door in
            let client = try await RawClient.connect(to: door.address)
            try await client.send(Self.put("/refuse", "Transfer-Encoding: chunked"))
            let first = await client.read(until: "refused")
            try await client.send(chunk)
            let rest = await client.read()
            #expect((first + rest).bodies == ["refused"])
        }
    }

    @Test(
        "What is no request is answered 400 once, and the connection closes",
        arguments: [
            "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\nSpace : x\r\n\r\n",
            "GET / HTTP/3.0\r\nHost: h\r\n\r\n", "BREW / HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\nFolded: a\r\n b: c\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ])
    func malformed(request: String) async throws {
        try await TestDoor.open { door in
            let answer = try await RawClient.exchange(with: door.address, request + request)
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer.prefix(100))")
            #expect(answer.lowercased().contains("connection: close\r\n"))
            #expect(answer.bodies.count == 1)
        }
    }

    @Test(
        "A head that is too large is answered 431 once, with words, and the connection closes",
        arguments: [
            "Cookie: \(String(repeating: "x", count: 40_000))\r\n", String(repeating: "X: y\r\n", count: 200),
            String(repeating: "Cookie: \(String(repeating: "x", count: 1000))\r\n", count: 33),
        ])
    func largeHead(fields: String) async throws {
        let request = "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
        try await TestDoor.open { door in
            let answer = try await RawClient.exchange(with: door.address, request + request)
            #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(answer.prefix(100))")
            #expect(answer.lowercased().contains("connection: close\r\n"))
            #expect(answer.bodies.count == 1)
            #expect(answer.contains("header-too-large"))
        }
    }

    @Test("What is malformed behind a request is answered behind its answer")
    func malformedBehindRequest() async throws {
        try await TestDoor.open { door in
            let client = try await RawClient.connect(to: door.address)
            try await client.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\nnonsense\r\n\r\n")
            await door.events.wait(for: .began("/wait"))
            door.gate.open()
            let answer = await client.read()
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("/wait 0HTTP/1.1 400 "), "\(answer)")
            #expect(answer.bodies.count == 2)
        }
    }

    @Test(
        "A request that is a connection's last is answered, and the connection closes",
        arguments: [
            "GET /a HTTP/1.0\r\nHost: h\r\n\r\n", "GET /a HTTP/1.1\r\nHost: h\r\nConnection: CLOSE\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n",
        ])
    func last(request: String) async throws {
        try await TestDoor.open { door in
            let answer = try await RawClient.exchange(
                with: door.address, request, "GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(answer.bodies == ["/a 0"])
            #expect(answer.lowercased().contains("connection: close\r\n"))
        }
    }

    @Test("What comes behind a request for another protocol is not read")
    func upgrade() async throws {
        var limits = ListenerLimits.unhurried
        limits.headerTime = .seconds(2)
        try await TestDoor.open(limits: limits) { door in
            let client = try await RawClient.connect(to: door.address)
            try await client.send("GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
            let piece = String(repeating: "x", count: 1 << 20)
            // More than the kernel's buffers hold, which could only be sent if it were read.
            let flood = Task { for _ in 0..<64 { try await client.send(piece) } }
            #expect(await client.read().bodies == ["/a 0"])
            await door.events.wait(for: .closedByRule("lingering"))
            await #expect(throws: (any Error).self) { try await flood.value }
        }
    }

    @Test(
        "A client that ends its direction behind a request still gets its answer",
        arguments: Transport.allCases)
    func halfClosed(transport: Transport) async throws {
        try await TestDoor.open { door in
            let client = try await RawClient.connect(to: door.address, tls: transport.tls)
            try await client.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n")
            await door.events.wait(for: .began("/wait"))
            try await client.finish()
            door.gate.open()
            #expect(await client.read().hasSuffix("/wait 0"))
        }
    }

    @Test("The host that an absolute target names is seen beside the header's")
    func absoluteTarget() async throws {
        try await TestDoor.open { door in
            let answer = try await RawClient.exchange(
                with: door.address, "GET http://h/a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(answer.hasSuffix("/a 0"))
        }
    }
}

extension String {
    /// The bodies of answers with `Content-Length`, in order.
    var bodies: [String] {
        var bodies: [String] = []
        var rest = self[...]
        while rest.hasPrefix("HTTP/1.1 "), let end = rest.firstRange(of: "\r\n\r\n") {
            let header = rest[..<end.lowerBound].lowercased()
            let length = header.split(separator: "\r\n").compactMap { field in
                field.hasPrefix("content-length:") ? Int(field.dropFirst(15).filter(\.isNumber)) : nil
            }
            rest = rest[end.upperBound...]
            bodies.append(String(rest.prefix(length.first ?? 0)))
            rest = rest.dropFirst(length.first ?? 0)
        }
        return rest.isEmpty ? bodies : bodies + ["(unexpected: \(rest.prefix(40)))"]
    }
}
