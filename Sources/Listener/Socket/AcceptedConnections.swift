import Glibc
import Logging
import NIOCore
import Synchronization

/// Leads accepted connections from their event loops to the task that serves them, and knows all that are open, to tell
/// them when no more requests are taken.
///
/// An `AsyncStream` would drop what waits in it when its reader is cancelled, and an `NIOAsyncChannel` must not be
/// dropped.
final class AcceptedConnections<Connection: Sendable>: Sendable {
    private typealias Reader = CheckedContinuation<Connection?, Never>

    private struct State {
        var waiting: [Connection] = []
        var reader: Reader?
        var open: [ObjectIdentifier: any Channel] = [:]
        var isSocketClosed = false

        /// What the reader, if one waits, is to be told now.
        mutating func takeNext() -> (reader: Reader, next: Connection?)? {
            guard let reader, !waiting.isEmpty || isSocketClosed && open.isEmpty else { return nil }
            self.reader = nil
            return (reader, waiting.isEmpty ? nil : waiting.removeFirst())
        }
    }

    private let state = Mutex(State())

    /// - Returns: false when nothing is taken any more, and the connection has to be closed
    func enter(_ channel: any Channel) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isSocketClosed { state.open[ObjectIdentifier(channel)] = channel }
            return !state.isSocketClosed
        }
        if isTaken {
            channel.closeFuture.whenComplete { _ in self.change { $0.open[ObjectIdentifier(channel)] = nil } }
        }
        return isTaken
    }

    /// Hands a connection on that has entered and is prepared.
    func handOver(_ connection: Connection) {
        change { $0.waiting.append(connection) }
    }

    /// The next connection; nil when the listening socket and all connections are closed. For one reader. Does not end
    /// when its task is cancelled.
    func next() async -> Connection? {
        await withCheckedContinuation { reader in change { $0.reader = reader } }
    }

    /// No other connection enters, and every one that is open ends behind its last request.
    func socketClosed() {
        var channels: [any Channel] = []
        change { state in
            state.isSocketClosed = true
            channels = Array(state.open.values)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    private func change(_ body: (inout State) -> Void) {
        let due = state.withLock { state in
            body(&state)
            return state.takeNext()
        }
        due?.reader.resume(returning: due?.next)
    }
}

/// Lets the connections of one device in at a pace. What goes beyond it waits as the kernel gave it, unread and without
/// anything that serves a connection, and of those each device has few; the rest is closed at once. So whoever comes and
/// goes without end costs this host little more than the kernel's part of it, and nobody's connection waits behind all
/// of theirs.
///
/// Stands in front of the listening socket's handler that makes connections of what was accepted.
final class AcceptRateHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    /// How many connections of one holder may wait, and below, how many of all together.
    static let mostWaitingOfOne = 32
    static let mostWaiting = 128

    private let limiter: ConnectionLimiter
    private let neighbours: Neighbours
    private let reserve: DescriptorReserve
    private var waiting: [UInt64: any Channel] = [:]
    private var waitingCounts: [ConnectionQuota.Holder: Int] = [:]

    init(limiter: ConnectionLimiter, neighbours: Neighbours, reserve: DescriptorReserve) {
        self.limiter = limiter
        self.neighbours = neighbours
        self.reserve = reserve
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = unwrapInboundIn(data)
        // Whoever has the last descriptor gets its answer, and gives it back.
        guard !reserve.isHeld(by: connection), let visitor = visitor(of: connection) else {
            context.fireChannelRead(data)
            return
        }
        let id = limiter.nextArrivalID()
        guard let turn = limiter.arrivals.ask(for: visitor, as: id, on: context.eventLoop) else {
            context.fireChannelRead(data)
            return
        }
        let count = waitingCounts[visitor.holder, default: 0]
        guard count < Self.mostWaitingOfOne, waiting.count < Self.mostWaiting else {
            limiter.arrivals.leave(id)
            limiter.noteRefusal()
            connection.close(promise: nil)
            return
        }
        waiting[id] = connection
        waitingCounts[visitor.holder] = count + 1
        turn.assumeIsolated().whenSuccess {
            self.leave(id, visitor.holder)
            context.fireChannelRead(self.wrapInboundOut(connection))
        }
    }

    private func leave(_ id: UInt64, _ holder: ConnectionQuota.Holder) {
        waiting[id] = nil
        let count = waitingCounts[holder, default: 1] - 1
        waitingCounts[holder] = count > 0 ? count : nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        for (id, connection) in waiting {
            limiter.arrivals.leave(id)
            connection.close(promise: nil)
        }
        waiting = [:]
        context.fireChannelInactive()
    }

    private func visitor(of connection: any Channel) -> ConnectionQuota.Visitor? {
        limiter.visitor(
            remote: connection.remoteAddress, local: connection.localAddress,
            device: neighbours.knownLinkAddress(of: connection.remoteAddress))
    }
}

/// What happens while the process has no descriptor left for another connection: the kernel keeps waiting ones, every
/// moment there is another try, and one of them at a time is taken with a descriptor kept for this, for an answer about
/// health.
enum AcceptShortage {
    static let pause: TimeAmount = .milliseconds(250)
    private static let logInterval: TimeAmount = .minutes(1)
    private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    /// In this order, in front of the listening socket's other handlers.
    static func handlers(reserve: DescriptorReserve, logger: Logger) -> [any ChannelHandler] {
        var nextLog = NIODeadline.uptimeNanoseconds(0)
        let backoff = AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { error in
            // Of one connection that failed, the next knows nothing.
            guard shortages.contains(error.errnoCode) else { return nil }
            let now = NIODeadline.now()
            if now >= nextLog {
                nextLog = now + logInterval
                logger.warning(
                    "Connections cannot be accepted at the moment; waiting ones are kept",
                    metadata: ["error": "\(error)"])
            }
            return pause
        }
        return [ReserveHandler(reserve: reserve), backoff]
    }
}

/// Spends the reserve when a connection cannot be accepted.
private final class ReserveHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let reserve: DescriptorReserve

    init(reserve: DescriptorReserve) {
        self.reserve = reserve
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? IOError, reserve.spend(on: error) { context.read() }
        context.fireErrorCaught(error)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reserve.accepted(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }
}

/// A descriptor that is given up when there is no other, so that one more connection can be accepted, and opened again
/// as soon as one is free. Whatever connection is accepted in between has the last descriptor, and must not keep it.
final class DescriptorReserve: Sendable {
    private struct State {
        var descriptor: CInt?
        var holders: Set<ObjectIdentifier> = []
        var isClosed = false

        mutating func refill() {
            guard descriptor == nil, !isClosed else { return }
            let opened = open("/dev/null", O_RDONLY | O_CLOEXEC)
            descriptor = opened >= 0 ? opened : nil
        }

        mutating func giveUp() -> Bool {
            guard let descriptor else { return false }
            Glibc.close(descriptor)
            self.descriptor = nil
            return true
        }
    }

    private let state = Mutex(State())

    init() {
        state.withLock { $0.refill() }
    }

    /// - Returns: true when another connection can be accepted at once
    func spend(on error: IOError) -> Bool {
        guard error.errnoCode == EMFILE || error.errnoCode == ENFILE else { return false }
        return state.withLock { $0.giveUp() }
    }

    /// To be told of every connection, before it is admitted.
    func accepted(_ channel: any Channel) {
        let isHolder = state.withLock { state in
            state.refill()
            if state.descriptor == nil { state.holders.insert(ObjectIdentifier(channel)) }
            return state.descriptor == nil
        }
        guard isHolder else { return }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.holders.remove(ObjectIdentifier(channel))
                state.refill()
            }
        }
    }

    /// Whether this connection was accepted with the last descriptor.
    func isHeld(by channel: any Channel) -> Bool {
        state.withLock { $0.holders.contains(ObjectIdentifier(channel)) }
    }

    func close() {
        state.withLock { state in
            _ = state.giveUp()
            state.isClosed = true
        }
    }
}
