import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import Listener

/// The handler on a clock that the test holds, and what it asks the kernel.
@Suite("What a connection's handler hears of its client's pace")
struct TimeoutHandlerTests {
    private static let rules = ConnectionTimeouts.Rules(
        headerTime: .seconds(10), idleTime: .seconds(120), grace: .seconds(3), longestPatience: .seconds(4),
        byteRate: 1000)

    @Test("Bytes that come steadily keep their connection as long as they come, and silence ends it")
    func steadyBody() throws {
        let loop = EmbeddedEventLoop()
        let pace = TimeoutHandler(rules: Self.rules, now: loop.now, traffic: TrafficTally(), logger: .silent)
        let channel = EmbeddedChannel(handler: pace, loop: loop)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
        pace.requestBegan(isBodyHeldBack: false)
        for _ in 0..<400 {
            channel.read()
            try channel.writeInbound(ByteBuffer(repeating: 0, count: 2000))
            loop.advanceTime(by: .milliseconds(20))
        }
        #expect(channel.isActive)
        channel.read()
        loop.advanceTime(by: Self.rules.longestPatience)
        loop.advanceTime(by: ConnectionTimeouts.secondLook)
        #expect(!channel.isActive)
    }

    /// The kernel's buffers are so large that the process hears of a client's progress too late by itself.
    @Test("The kernel tells how much of an answer the client has taken")
    func progress() async throws {
        let byteCount = 50_000_000
        let group = MultiThreadedEventLoopGroup.singleton
        let (sides, accepted) = AsyncStream.makeStream(of: (any Channel).self)
        let server = try await ServerBootstrap(group: group)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.pipeline.addHandler(EndOfInput { accepted.yield(channel) }).map { accepted.yield(channel) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let client = try await ClientBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .channelInitializer { $0.pipeline.addHandler(CountedInput(expected: byteCount)) }
            .connect(to: try #require(server.localAddress)).get()
        var side = sides.makeAsyncIterator()
        let ours = try #require(await side.next())
        async let sent: Void = ours.writeAndFlush(ByteBuffer(repeating: 7, count: byteCount))
        #expect(try await taken(of: ours) < byteCount)
        try await client.setOption(.autoRead, value: true).get()
        try await sent
        _ = await side.next()
        // The hands that were shaken may count as one more.
        #expect([byteCount, byteCount + 1].contains(try await taken(of: ours)))
        // Whoever comes second finds it closed.
        try? await ours.close()
        try? await client.close()
        try await server.close()
    }

    private func taken(of channel: any Channel) async throws -> Int {
        try await channel.eventLoop.submit { TCPProgress.acknowledgedByteCount(of: channel) ?? 0 }.get()
    }
}

/// Tells when the client has closed its direction.
private final class EndOfInput: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let tell: @Sendable () -> Void

    init(tell: @escaping @Sendable () -> Void) { self.tell = tell }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { tell() }
    }
}

/// Closes its own direction once it has everything.
private final class CountedInput: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer

    private var missing: Int

    init(expected: Int) { missing = expected }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        missing -= unwrapInboundIn(data).readableBytes
        if missing == 0 { context.close(mode: .output, promise: nil) }
    }
}
