import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// Prepares accepted connections and serves them.
struct ConnectionSetup: Sendable {
    /// A connection that is ready to be served.
    struct Connection: Sendable {
        let parts: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
        let peer: PeerConnection
    }

    let tls: (any TLSSource)?
    let limits: ListenerLimits
    let traffic: TrafficTally
    let logger: Logger
    let neighbours: Neighbours
    let responder: PeerConnection.Responder

    /// Fewer and larger pieces than usual: each costs a hop from the event loop to the request's task.
    var receiveAllocator: any RecvByteBufferAllocator {
        AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 16 * 1024, maximum: limits.receiveByteCount)
    }

    /// Called on the connection's event loop, before anything is read.
    func prepare(_ channel: any Channel, lane: ConnectionCensus.Lane) throws -> Connection {
        let pipeline = channel.pipeline.syncOperations
        let pace = PaceHandler(
            rules: rules(of: lane), now: channel.eventLoop.now, traffic: traffic, logger: logger)
        try pipeline.addHandler(pace)
        try pipeline.addHandler(ProtocolSniffer(tls: tls, http: HTTPPipeline(limits: limits), logger: logger))
        try pipeline.addHandler(
            ConversationHandler(limits: limits, pace: pace, isLimitedToOneRequest: lane == .overflow))
        if lane == .overflow { try pipeline.addHandler(OverflowHandler(paths: limits.overflowPaths)) }
        return Connection(
            parts: try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)),
            peer: PeerConnection(
                channel: channel,
                link: neighbours.linkAddress(of: channel.remoteAddress, on: channel.eventLoop)))
    }

    /// Returns when the connection is closed. Cancelled, it closes it at once.
    func serve(_ connection: Connection) async {
        await withTaskCancellationHandler {
            await withTaskExecutorPreference(EventLoopExecutor(connection.peer.channel.eventLoop)) {
                await HTTP1Channel { request, writer, _ in
                    try await responder(request, writer, connection.peer)
                }.handle(value: connection.parts, logger: logger)
            }
        } onCancel: {
            connection.peer.channel.triggerUserOutboundEvent(PaceHandler.Abort(), promise: nil)
        }
    }

    private func rules(of lane: ConnectionCensus.Lane) -> ConnectionPace.Rules {
        let isOverflow = lane == .overflow
        return ConnectionPace.Rules(
            headerTime: TimeAmount(isOverflow ? limits.overflowHeaderTime : limits.headerTime),
            idleTime: TimeAmount(limits.idleTime),
            grace: TimeAmount(isOverflow ? limits.overflowHeaderTime : limits.grace),
            longestPatience: TimeAmount(limits.longestPatience), byteRate: max(1, limits.byteRate))
    }
}
