import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A plain HTTP/1.1 connection with our limits.
struct WebChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    private let http1: HTTP1Channel
    private let limits: WebLimits

    init(limits: WebLimits, responder: @escaping HTTPChannelHandler.Responder) {
        self.limits = limits
        http1 = HTTP1Channel(
            responder: responder,
            configuration: .init(
                additionalChannelHandlers: [RequestBodyHandler(limits: limits)],
                idleTimeout: TimeAmount(limits.idleTimeout),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.headerByteCount, maxHeaderListSize: limits.headerByteCount,
                    maxHeaderFieldCount: limits.headerFieldCount)))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        // Fewer and larger pieces: each costs a hop from the event loop to the request's task.
        let allocator = AdaptiveRecvByteBufferAllocator(
            minimum: 2048, initial: 16 * 1024, maximum: limits.receiveByteCount)
        return channel.setOption(.recvAllocator, value: allocator).flatMap {
            http1.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(AbsoluteTargetHandler(), position: .after(decoder))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        await http1.handle(value: value, logger: logger)
    }
}
