import HummingbirdCore
import ListenerSupport
import NIOCore
import TestSupport
import Testing

@testable import Listener

@Suite("The end of listening", .timeLimit(.minutes(10)))
struct ShutdownTests {
    @Test(
        "Running requests finish, idle connections close, no other is taken",
        arguments: Transport.allCases)
    func graceful(transport: Transport) async throws {
        try await TestDoor.open { door in
            let busy = try await RawClient.connect(to: door.address, tls: transport.tls)
            try await busy.send("PUT /wait HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
            let idle = try await RawClient.connect(to: door.address, tls: transport.tls)
            try await idle.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await idle.read(until: "/a 0").hasSuffix("/a 0"))
            let unused = try await RawClient.connect(to: door.address)
            await door.shutDown()
            #expect(await idle.read().isEmpty)
            #expect(await unused.read().isEmpty)
            await #expect(throws: (any Error).self) { _ = try await RawClient.connect(to: door.address) }
            try await busy.send("photo")
            door.gate.open()
            let answer = await busy.read()
            #expect(answer.hasSuffix("/wait 5") && answer.lowercased().contains("connection: close\r\n"))
        }
    }

    @Test("Cancelled, all connections close at once", arguments: Transport.allCases)
    func cancelled(transport: Transport) async throws {
        let (addresses, bound) = AsyncStream.makeStream(of: SocketAddress?.self)
        let (requests, began) = AsyncStream.makeStream(of: Void.self)
        let limiter = ConnectionLimiter(limits: ListenerLimits.unhurried)
        let listener = Listener(
            endpoint: .tcp(host: "127.0.0.1", port: 0), tls: TestTLS.ready, limits: ListenerLimits.unhurried,
            limiter: limiter,
            logger: .silent,
            responder: { request, _, _ in
                began.yield()
                for try await _ in request.body {}
            },
            onListening: { bound.yield($0) })
        let running = Task { try await listener.run() }
        for await address in addresses {
            let client = try await RawClient.connect(to: try #require(address), tls: transport.tls)
            try await client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
            for await _ in requests { break }
            running.cancel()
            #expect(await client.read().isEmpty)
            break
        }
        try await running.value
        #expect(limiter.snapshot == .init())
    }
}
