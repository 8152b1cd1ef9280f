import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
import Glibc
#endif

/// A client of plain bytes, for those that do not behave, with or without TLS below.
struct RawClient: Sendable {
    let channel: any Channel
    private let inbound: AsyncThrowingStream<ByteBuffer, any Error>

    static func connect(
        to address: SocketAddress, tls: TLSConfiguration? = nil
    ) async throws -> RawClient {
        let tlsContext = try tls.map { try NIOSSLContext(configuration: $0) }
        let (stream, source) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tlsContext {
                        try pipeline.addHandler(NIOSSLClientHandler(context: tlsContext, serverHostname: nil))
                    }
                    try pipeline.addHandler(Collector(source: source))
                }
            }
            .connect(to: address).get()
        return RawClient(channel: channel, inbound: stream)
    }

    /// TLS without a look at the certificate.
    static var anyCertificate: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = ["http/1.1"]
        configuration.shutdownTimeout = .milliseconds(50)
        return configuration
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Sends the same again and again, each when the one before has left.
    func send(_ first: String, then piece: String, times count: Int) async throws {
        try await send(first)
        for _ in 0..<count { try await send(piece) }
    }

    /// Ends our direction.
    func finish() async throws {
        try await channel.close(mode: .output)
    }

    /// Tears the connection down (RST).
    func reset() async throws {
        let options = channel as? any SocketOptionProvider
        try await options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }

    func close() async throws { try await channel.close() }

    /// All that comes until `end` has come, or the connection ends, in order or not.
    func read(until end: String? = nil) async -> String {
        var received = ""
        do {
            for try await bytes in inbound {
                received += String(buffer: bytes)
                if let end, received.contains(end) { break }
            }
        } catch {
            // A reset behind the answer, or TLS that was never spoken.
        }
        return received
    }

    /// One request and all that comes for it until the host closes.
    static func exchange(
        with address: SocketAddress, tls: TLSConfiguration? = nil, _ pieces: String..., finishes: Bool = false
    ) async throws -> String {
        let client = try await connect(to: address, tls: tls)
        for piece in pieces {
            // The host may have closed already.
            do { try await client.send(piece) } catch { break }
        }
        if finishes { try? await client.finish() }
        let answer = await client.read()
        try? await client.close()
        return answer
    }
}

/// The ways to the same answer.
enum Transport: CaseIterable {
    case plain
    case encrypted

    var tls: TLSConfiguration? { self == .plain ? nil : RawClient.anyCertificate }
}

private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let source: AsyncThrowingStream<ByteBuffer, any Error>.Continuation

    init(source: AsyncThrowingStream<ByteBuffer, any Error>.Continuation) {
        self.source = source
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        source.yield(unwrapInboundIn(data))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { source.finish() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        source.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        source.finish(throwing: error)
        context.close(promise: nil)
    }
}
