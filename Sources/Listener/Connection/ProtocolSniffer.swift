import Logging
import NIOCore
import NIOSSL

/// Tells by its first byte whether a connection is TLS, gives it the handlers for that and goes.
final class ProtocolSniffer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private enum State {
        case sniffing
        /// A certificate is being made: what has arrived waits here, and nothing more is read.
        case holding([NIOAny], isReadWanted: Bool)
        case over
    }

    /// The type of a TLS record with a handshake; no method of HTTP begins like this.
    private static let handshakeRecord: UInt8 = 0x16

    private let tls: (any TLSSource)?
    private let http: HTTPPipeline
    private let logger: Logger
    private var state = State.sniffing

    init(tls: (any TLSSource)?, http: HTTPPipeline, logger: Logger) {
        self.tls = tls
        self.http = http
        self.logger = logger
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

    func handlerRemoved(context: ChannelHandlerContext) {
        state = .over
    }

    private func sniff(_ data: NIOAny, _ context: ChannelHandlerContext) {
        let bytes = unwrapInboundIn(data)
        guard let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return }
        guard first == Self.handshakeRecord else { return proceed(with: nil, [data], context) }
        switch tls?.offer(for: context.channel.localAddress) {
        case .ready(let tlsContext): proceed(with: tlsContext, [data], context)
        case .later(let make): hold(data, until: make, context)
        case .unavailable, nil: context.close(promise: nil)
        }
    }

    private func hold(
        _ data: NIOAny, until make: @escaping @Sendable () async throws -> NIOSSLContext,
        _ context: ChannelHandlerContext
    ) {
        state = .holding([data], isReadWanted: false)
        context.eventLoop.makeFutureWithTask(make).assumeIsolated().whenComplete { result in
            // The connection may have ended meanwhile.
            guard case .holding(let held, let isReadWanted) = self.state else { return }
            do {
                self.proceed(with: try result.get(), held, isReadWanted: isReadWanted, context)
            } catch {
                self.logger.debug("No certificate could be made for a connection", metadata: ["error": "\(error)"])
                context.close(promise: nil)
            }
        }
    }

    /// - Parameter tlsContext: nil for plain HTTP
    private func proceed(
        with tlsContext: NIOSSLContext?, _ held: [NIOAny], isReadWanted: Bool = false, _ context: ChannelHandlerContext
    ) {
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
