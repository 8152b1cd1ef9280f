import HummingbirdCore
package import Logging
package import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Listens on one endpoint for HTTP and HTTPS, told apart by a connection's first byte, and keeps every connection
/// within the limits. Told to shut down, it takes no other connection, closes the idle ones and lets requests finish.
package struct Listener: Service {
    private let endpoint: Endpoint
    private let limiter: ConnectionLimiter
    private let neighbours: Neighbours
    private let setup: ConnectionSetup
    private let logger: Logger
    private let onListening: @Sendable (SocketAddress?) async -> Void

    /// - Parameters:
    ///   - tls: nil where nothing is encrypted; a connection that begins with TLS is closed then
    ///   - limiter: one for all listeners of the process
    ///   - neighbours: one for all listeners of the process
    ///   - responder: answers one request
    ///   - onListening: told the address once connections are accepted
    package init(
        endpoint: Endpoint, tls: (any TLSSource)?, limits: ListenerLimits, limiter: ConnectionLimiter, logger: Logger,
        neighbours: Neighbours = Neighbours(), responder: @escaping PeerConnection.Responder,
        onListening: @escaping @Sendable (SocketAddress?) async -> Void = { _ in }
    ) {
        self.endpoint = endpoint
        self.limiter = limiter
        self.neighbours = neighbours
        self.logger = logger
        self.onListening = onListening
        setup = ConnectionSetup(tls: tls, limits: limits, limiter: limiter, logger: logger, responder: responder)
    }

    /// Returns when it was told to shut down and the last connection is closed. Cancelled, it closes all at once.
    /// - Throws: `ListenerError.cannotListen`, or `.stoppedListening` if the socket fails later on
    package func run() async throws {
        ConnectionThreads.becomePrompt()
        let accepted = AcceptedConnections<ConnectionSetup.Connection>()
        let reserve = DescriptorReserve()
        defer { reserve.close() }
        let socket = try await ListeningSocket.open(endpoint, with: bootstrap(accepted, reserve))
        defer { socket.file?.remove() }
        let ending = Ending(socket: socket.channel)
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await onListening(socket.channel.localAddress)
                await serve(accepted)
            } onGracefulShutdown: {
                ending.begin()
            }
        } onCancel: {
            ending.begin()
        }
        guard ending.hasBegun else { throw ListenerError.stoppedListening(endpoint) }
    }

    private func serve(_ accepted: AcceptedConnections<ConnectionSetup.Connection>) async {
        await withDiscardingTaskGroup { group in
            while let connection = await accepted.next() {
                group.addTask { await setup.serve(connection) }
            }
        }
    }

    private func bootstrap(
        _ accepted: AcceptedConnections<ConnectionSetup.Connection>, _ reserve: DescriptorReserve
    ) -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelInitializer { [limiter, neighbours, logger] channel in
                channel.closeFuture.whenComplete { _ in accepted.socketClosed() }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        AcceptShortage.handlers(reserve: reserve, logger: logger)
                            + [AcceptRateHandler(limiter: limiter, neighbours: neighbours, reserve: reserve)])
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.recvAllocator, value: setup.receiveAllocator)
            .childChannelInitializer { [limiter, neighbours, setup] channel in
                let isOverflow = reserve.isHeld(by: channel)
                return neighbours.linkAddress(of: channel.remoteAddress, on: channel.eventLoop)
                    .flatMapThrowing { device in
                        let admitted = limiter.admit(
                            remote: channel.remoteAddress, local: channel.localAddress, device: device,
                            isOverflow: isOverflow,
                            giveWay: {
                                channel.triggerUserOutboundEvent(
                                    TimeoutHandler.Abort(reason: .displaced), promise: nil)
                            })
                        guard let seat = admitted else { throw Refusal() }
                        // Before that hears of the end: whoever waited for the last connection finds all
                        // seats given back.
                        channel.closeFuture.whenComplete { _ in limiter.release(seat) }
                        guard accepted.enter(channel) else { throw Refusal() }
                        accepted.handOver(try setup.prepare(channel, seat: seat))
                    }
            }
    }
}

/// Thrown on, it closes the connection that was one too many.
private struct Refusal: Error {}

/// The end of listening, which may be asked for more than once.
private final class Ending: Sendable {
    private let socket: any Channel
    private let state = Mutex(false)

    init(socket: any Channel) {
        self.socket = socket
    }

    var hasBegun: Bool { state.withLock { $0 } }

    func begin() {
        state.withLock { $0 = true }
        // Quiesces the connections once nobody else can come in.
        socket.close(promise: nil)
    }
}
