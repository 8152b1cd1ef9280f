package import HummingbirdCore
import Logging
package import NIOCore
import NIOHTTPTypes

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
