import NIOCore
import NIOPosix
import Sealing
import Synchronization
import Testing

@testable import Bucket

@Suite("A store that accepts and says nothing, or in whose place somebody else speaks")
struct SilenceTests {
    private static let secret = Array("a secret of nobody".utf8)
    private static let page = "200 OK\r\nContent-Type: text/html\r\nContent-Length: 8"

    /// The first request, or connection where it is not answered at all, gets `first`; those behind it get `rest`.
    private static func server(first: String?, rest: String) async throws -> any Channel {
        let count = Arrivals()
        return try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answers { count.isFirst() ? first : rest })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private static func client(of server: any Channel, patience: Patience = .short) throws -> BucketClient {
        let port = try #require(server.localAddress?.port)
        let address = try BucketAddress("s3://photos/x", endpoint: "http://127.0.0.1:\(port)")
        let keys = try BucketKeys(id: "NOBODY", secret: SecretBytes(copying: secret), sessionToken: nil)
        var world = BucketClient.World()
        world.chance = { 0 }
        world.sleep = { _ in }
        return BucketClient(address, keys: keys, patience: patience, world: world)
    }

    @Test("is asked again where a network that wants people to sign in answers for it, whatever was asked")
    func signInPage() async throws {
        let absent = "404 Not Found\r\nContent-Length: 0"
        let done = "204 No Content"
        let questions: [(rest: String, ask: @Sendable (BucketClient) async throws -> Bool)] = [
            (absent, { try await $0.head("a") == nil }),
            (absent, { try await $0.read("a", 0..<8) == nil }),
            (done, { try await $0.delete("a") == () }),
            (done, { try await $0.put("a", ObjectBody([1, 2, 3]), isOnce: true).wasThere == false }),
        ]
        for (rest, ask) in questions {
            let server = try await Self.server(first: Self.page, rest: rest)
            let client = try Self.client(of: server)
            #expect(try await ask(client))
            #expect(client.requestCount == 2)
            await client.shutdown()
            try await server.close()
        }
    }

    @Test("may call an answer a page that has no body")
    func emptyPage() async throws {
        let empty = "200 OK\r\nContent-Type: text/html\r\nContent-Length: 0"
        let server = try await Self.server(first: empty, rest: "500 Error\r\nContent-Length: 0")
        let client = try Self.client(of: server)
        _ = try await client.put("a", ObjectBody([1, 2, 3]), isOnce: true)
        #expect(client.requestCount == 1)
        await client.shutdown()
        try await server.close()
    }

    @Test(
        "is asked again by another connection, long before one that has answered would be given up",
        .timeLimit(.minutes(5)))
    func askedAgain() async throws {
        let server = try await Self.server(first: nil, rest: "404 Not Found\r\nContent-Length: 0")
        let patience = Patience(attempts: 7, connecting: 3600, pause: 3600, firstAnswer: 1000, silences: 7)
        let client = try Self.client(of: server, patience: patience)
        #expect(try await client.head("anything") == nil)
        #expect(client.requestCount > 1)
        await client.shutdown()
        try await server.close()
    }

    @Test("is given up within a minute, by whoever waits for it")
    func givenUp() {
        for patience in [Patience.long, .short] {
            let most = min(patience.silences, patience.attempts)
            let waits = (1...most).compactMap { RetryPolicy.wait(after: $0, of: most, asked: nil, chance: 1) }
            let all = waits.reduce(.milliseconds(Int64(most) * patience.firstAnswer), +)
            #expect(all < .seconds(60))
        }
    }
}

private final class Arrivals: Sendable {
    private let count = Mutex(0)

    func isFirst() -> Bool {
        count.withLock { count in
            count += 1
            return count == 1
        }
    }
}

/// Answers each request when its head and what comes with that have arrived: bodies here are a few bytes.
private final class Answers: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let next: () -> String?
    /// Of the request that is on its way.
    private var received = ""

    init(_ next: @escaping () -> String?) { self.next = next }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        guard let end = received.firstRange(of: "\r\n\r\n")?.upperBound else { return }
        let length = received[..<end].split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.drop { $0 != ":" }.dropFirst(2)) }
        guard received[end...].utf8.count >= length ?? 0 else { return }
        let isHead = received.hasPrefix("HEAD")
        received = ""
        guard let answer = next() else { return }
        let body = isHead || !answer.hasSuffix("Content-Length: 8") ? "" : "<p>Hello"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 \(answer)\r\n\r\n\(body)")), promise: nil)
    }
}
