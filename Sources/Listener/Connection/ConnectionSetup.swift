package import HummingbirdCore
import Logging
package import NIOCore
import NIOHTTPTypes
import NIOSSL

/// Prepares accepted connections and serves them.
struct ConnectionSetup: Sendable {
    /// A connection that is ready to be served.
    struct Connection: Sendable {
        let parts: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
        let peer: PeerConnection
        let meter: RequestMeter
    }

    let tls: (any TLSSource)?
    let limits: ListenerLimits
    let limiter: ConnectionLimiter
    let logger: Logger
    let responder: PeerConnection.Responder

    /// Fewer and larger pieces than usual: each costs a hop from the event loop to the request's task.
    var receiveAllocator: any RecvByteBufferAllocator {
        AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 16 * 1024, maximum: limits.receiveByteCount)
    }

    /// Called on the connection's event loop, before anything is read.
    func prepare(_ channel: any Channel, seat: ConnectionLimiter.Seat) throws -> Connection {
        let pipeline = channel.pipeline.syncOperations
        let isOverflow = seat.lane == .overflow
        let pace = TimeoutHandler(
            rules: rules(isOverflow: isOverflow), now: channel.eventLoop.now, traffic: limiter.traffic, logger: logger,
            onActivity: { [limiter] in limiter.note(isInRequest: $0, seat) })
        try pipeline.addHandler(pace)
        try pipeline.addHandler(
            ProtocolSniffer(
                tls: tls, http: HTTPPipeline(limits: limits), logger: logger,
                turn: { [limiter] in limiter.handshakes.ask(for: seat.visitor, as: seat.id, on: $0.eventLoop) }))
        try pipeline.addHandler(
            ConversationHandler(
                limits: limits, pace: pace, isLimitedToOneRequest: isOverflow, isFromThisHost: seat.visitor == nil))
        if isOverflow { try pipeline.addHandler(OverflowHandler(paths: limits.overflowPaths)) }
        let meter = RequestMeter(limiter.requests, seat, EventLoopExecutor(channel.eventLoop))
        return Connection(
            parts: try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)),
            peer: PeerConnection(
                channel: channel, neighbour: seat.visitor?.device, noteVault: { [limiter] in limiter.noteVault(seat) },
                waitForTurn: { try await meter.waitForTurn(on: channel.eventLoop) }),
            meter: meter)
    }

    /// Returns when the connection is closed. Cancelled, it closes it at once.
    func serve(_ connection: Connection) async {
        let meter = connection.meter
        defer { meter.settle() }
        await withTaskCancellationHandler {
            await withTaskExecutorPreference(meter.executor) {
                await HTTP1Channel { request, writer, channel in
                    // Of many that came at once, nobody waits for those whose connection has gone meanwhile.
                    guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
                    try await meter.waitForTurn(on: channel.eventLoop)
                    try await responder(request, writer, connection.peer)
                }.handle(value: connection.parts, logger: logger)
            }
        } onCancel: {
            connection.peer.channel.triggerUserOutboundEvent(TimeoutHandler.Abort(reason: .cancelled), promise: nil)
        }
    }

    private func rules(isOverflow: Bool) -> ConnectionTimeouts.Rules {
        ConnectionTimeouts.Rules(
            headerTime: TimeAmount(isOverflow ? limits.overflowHeaderTime : limits.headerTime),
            idleTime: TimeAmount(limits.idleTime),
            grace: TimeAmount(isOverflow ? limits.overflowHeaderTime : limits.grace),
            longestPatience: TimeAmount(limits.longestPatience), byteRate: max(1, limits.byteRate))
    }
}

/// The connection that a request came by, as far as the application has to do with it.
package struct PeerConnection: Sendable {
    /// Answers one request.
    package typealias Responder =
        @Sendable (Request, consuming ResponseWriter, PeerConnection) async throws -> Void

    package let channel: any Channel
    /// The link-layer address of the device at the other end, where that is on one of this host's own links.
    package let neighbour: Neighbours.LinkAddress?
    /// To be called when a request has shown an open vault: the connection does not give way to others before those that
    /// have not. Cheap, and any number of times.
    package let noteVault: @Sendable () -> Void
    /// To be called before each further thing of a request that is as much as a request by itself. Returns when the
    /// connection's device may begin it, and throws when the connection is closed before.
    package let waitForTurn: @Sendable () async throws -> Void
}

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
