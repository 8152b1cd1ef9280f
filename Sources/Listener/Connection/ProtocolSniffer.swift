import Logging
import NIOCore
import NIOSSL

/// Tells by its first byte whether a connection is TLS, gives it the handlers for that and goes.
final class ProtocolSniffer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private enum State {
        case sniffing
        /// The handshake waits for its turn, or for a certificate that is being made: what has arrived waits here, and
        /// nothing more is read.
        case holding([NIOAny], isReadWanted: Bool)
        case over
    }

    /// The type of a TLS record with a handshake; no method of HTTP begins like this.
    private static let handshakeRecord: UInt8 = 0x16

    private let tls: (any TLSSource)?
    private let http: HTTPPipeline
    private let logger: Logger
    private let turn: (any Channel) -> EventLoopFuture<Void>?
    private var state = State.sniffing

    /// - Parameter turn: when the handshake of this connection may begin; nil where it may at once
    init(
        tls: (any TLSSource)?, http: HTTPPipeline, logger: Logger,
        turn: @escaping (any Channel) -> EventLoopFuture<Void>? = { _ in nil }
    ) {
        self.tls = tls
        self.http = http
        self.logger = logger
        self.turn = turn
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .sniffing: sniff(data, context)
        case .holding(let held, let isReadWanted): state = .holding(held + [data], isReadWanted: isReadWanted)
        case .over: context.fireChannelRead(data)
        }
    }

    func read(context: ChannelHandlerContext) {
        if case .holding(let held, _) = state {
            state = .holding(held, isReadWanted: true)
        } else {
            context.read()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        state = .over
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .holding = state, event as? ChannelEvent == .inputClosed {
            // Who says nothing more cannot come to the end of a handshake.
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        state = .over
    }

    private func sniff(_ data: NIOAny, _ context: ChannelHandlerContext) {
        let bytes = unwrapInboundIn(data)
        guard let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return }
        state = .holding([data], isReadWanted: false)
        guard first == Self.handshakeRecord else { return proceed(with: nil, context) }
        guard let turn = turn(context.channel) else { return encrypt(context) }
        turn.assumeIsolated().whenSuccess { self.encrypt(context) }
    }

    private func encrypt(_ context: ChannelHandlerContext) {
        // The connection may have ended meanwhile.
        guard case .holding = state else { return }
        switch tls?.offer(for: context.channel.localAddress) {
        case .ready(let tlsContext): proceed(with: tlsContext, context)
        case .later(let make):
            context.eventLoop.makeFutureWithTask(make).assumeIsolated().whenComplete { result in
                do {
                    self.proceed(with: try result.get(), context)
                } catch {
                    self.logger.debug(
                        "No certificate could be made for a connection", metadata: ["error": "\(error)"])
                    context.close(promise: nil)
                }
            }
        case .unavailable, nil: context.close(promise: nil)
        }
    }

    /// - Parameter tlsContext: nil for plain HTTP
    private func proceed(with tlsContext: NIOSSLContext?, _ context: ChannelHandlerContext) {
        guard case .holding(let held, let isReadWanted) = state else { return }
        state = .over
        let pipeline = context.pipeline.syncOperations
        do {
            try http.add(isSecure: tlsContext != nil, to: pipeline, at: .after(self))
            if let tlsContext {
                try pipeline.addHandler(NIOSSLServerHandler(context: tlsContext), position: .after(self))
            }
        } catch {
            context.close(promise: nil)
            return
        }
        for data in held { context.fireChannelRead(data) }
        if isReadWanted {
            context.fireChannelReadComplete()
            context.read()
        }
        pipeline.removeHandler(context: context, promise: nil)
    }
}
