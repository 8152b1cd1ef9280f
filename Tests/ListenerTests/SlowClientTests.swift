import ListenerSupport
import NIOCore
import TestSupport
import Testing

@testable import Listener

/// With times so short that a test need not last: only what happens is looked at, never how long it takes.
@Suite("Slow clients", .timeLimit(.minutes(10)))
struct SlowClientTests {
    private var limits: ListenerLimits {
        var limits = ListenerLimits.unhurried
        limits.grace = .seconds(1)
        limits.longestPatience = .seconds(1.5)
        limits.byteRate = 100_000
        return limits
    }

    /// Of patience enough for a busy machine.
    private var patientLimits: ListenerLimits {
        var limits = ListenerLimits.unhurried
        limits.grace = .seconds(3)
        limits.longestPatience = .seconds(4)
        limits.byteRate = 1000
        return limits
    }

    @Test("A header that trickles in is not waited for", arguments: Transport.allCases)
    func slowHeader(transport: Transport) async throws {
        var limits = ListenerLimits.unhurried
        limits.headerTime = .milliseconds(300)
        try await TestDoor.open(limits: limits) { door in
            let client = try await RawClient.connect(to: door.address, tls: transport.tls)
            // On a busy machine the time may end within the handshake.
            try? await client.send("GET / HTTP/1.1\r\n")
            let trickle = Task {
                while true {
                    try await client.send("X-Slow: yes\r\n")
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            await door.events.wait(for: .closedByRule("headerLate"))
            #expect(await client.read().isEmpty)
            trickle.cancel()
        }
    }

    @Test(
        "A body that trickles in is not waited for",
        arguments: ["Content-Length: 1000000", "Transfer-Encoding: chunked"])
    func slowBody(framing: String) async throws {
        try await TestDoor.open(limits: limits) { door in
            let client = try await RawClient.connect(to: door.address)
            try await client.send("PUT /put HTTP/1.1\r\nHost: h\r\n\(framing)\r\n\r\n")
            let trickle = Task {
                while true {
                    try await client.send("1\r\nx\r\n")
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            var hasBegun = false
            let end = await door.events.first { event in
                hasBegun = hasBegun || event == .began("/put")
                return event != .began("/put")
            }
            #expect(end == .closedByRule("tooSlow"))
            // On a busy machine the time may be over before the application has the request, which never begins then.
            if hasBegun { await door.events.wait(for: .failed("the connection ended within a request's body")) }
            trickle.cancel()
        }
    }

    @Test("A body that waits because we do not read is not the client's fault")
    func ownSlowness() async throws {
        try await TestDoor.open(limits: patientLimits) { door in
            let client = try await RawClient.connect(to: door.address)
            let upload = Task {
                try await client.send(
                    "PUT /wait HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 50000000\r\n\r\n",
                    then: String(repeating: "x", count: 1_000_000), times: 50)
            }
            await door.events.wait(for: .began("/wait"))
            // The silence of others outlasts all patience, one after another; ours is no reason.
            for _ in 0..<3 {
                let other = try await RawClient.connect(to: door.address)
                try await other.send("PUT /put HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
                await door.events.wait(for: .closedByRule("tooSlow"))
            }
            door.gate.open()
            try await upload.value
            #expect(await client.read().hasSuffix("/wait 50000000"))
        }
    }

    @Test("A client that waits for leave to send, while we are at work, is not slow")
    func heldBack() async throws {
        try await TestDoor.open(limits: patientLimits) { door in
            let client = try await RawClient.connect(to: door.address)
            try await client.send(
                "PUT /wait HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
            )
            let other = try await RawClient.connect(to: door.address)
            try await other.send("PUT /put HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
            await door.events.wait(for: .closedByRule("tooSlow"))
            door.gate.open()
            try await client.send("photo")
            #expect(await client.read().hasSuffix("/wait 5"))
        }
    }

    @Test("A client that does not take its answer is not waited for", arguments: Transport.allCases)
    func slowReader(transport: Transport) async throws {
        try await TestDoor.open(limits: limits) { door in
            let client = try await RawClient.connect(to: door.address, tls: transport.tls)
            // Its hands are shaken with the first request; of the second's answer it takes nothing from the start.
            try await client.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await client.read(until: "/a 0").hasSuffix("/a 0"))
            try await client.channel.setOption(.autoRead, value: false).get()
            try await client.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n")
            await door.events.wait(for: .began("/large"))
            #expect(await door.events.first { _ in true } == .closedByRule("tooSlow"))
        }
    }

    @Test("A connection without a request for long is closed")
    func idle() async throws {
        var limits = ListenerLimits.unhurried
        limits.idleTime = .milliseconds(300)
        try await TestDoor.open(limits: limits) { door in
            let client = try await RawClient.connect(to: door.address)
            try await client.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await client.read(until: "/a 0").hasSuffix("/a 0"))
            await door.events.wait(for: .closedByRule("idle"))
            #expect(await client.read().isEmpty)
        }
    }

    @Test("A client that never closes its direction behind its last answer is not waited for")
    func lingering() async throws {
        var limits = ListenerLimits.unhurried
        limits.headerTime = .seconds(5)
        try await TestDoor.open(limits: limits) { door in
            let client = try await RawClient.connect(to: door.address)
            try await client.send("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(await client.read().hasSuffix("/a 0"))
            #expect(await door.events.first { $0 != .began("/a") && $0 != .received(0) } == .closedByRule("lingering"))
        }
    }
}
