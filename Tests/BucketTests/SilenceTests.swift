import NIOCore
import NIOPosix
import Sealing
import Synchronization
import Testing

@testable import Bucket

@Suite("A store that accepts and says nothing")
struct SilenceTests {
    private static let secret = Array("a secret of nobody".utf8)

    /// Connections are answered from the second one on.
    private static func server() async throws -> any Channel {
        let later = Connections()
        return try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answers(isSilent: later.isFirst()))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    @Test(
        "is asked again by another connection, long before one that has answered would be given up",
        .timeLimit(.minutes(5)))
    func askedAgain() async throws {
        let server = try await Self.server()
        let port = try #require(server.localAddress?.port)
        let address = try BucketAddress("s3://photos/x", endpoint: "http://127.0.0.1:\(port)")
        let keys = try BucketKeys(id: "NOBODY", secret: SecretBytes(copying: Self.secret), sessionToken: nil)
        let patience = Patience(attempts: 7, connecting: 3600, pause: 3600, firstAnswer: 1000, silences: 7)
        let client = BucketClient(address, keys: keys, patience: patience)
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

private final class Connections: Sendable {
    private let count = Mutex(0)

    func isFirst() -> Bool {
        count.withLock { count in
            count += 1
            return count == 1
        }
    }
}

private final class Answers: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let isSilent: Bool

    init(isSilent: Bool) { self.isSilent = isSilent }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isSilent else { return }
        let answer = ByteBuffer(string: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
}
