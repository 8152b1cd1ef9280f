import Glibc
import Logging
import NIOCore
import Synchronization

/// Stands at the socket's end of a connection, where encrypted and chunked bytes count alike, and carries out what
/// `ConnectionTimeouts` decides. `ConversationHandler` tells it what happens in HTTP.
final class TimeoutHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    /// Sent from the pipeline's other end: the connection is closed without ado, whatever is going on.
    struct Abort: Sendable {
        var reason: Reason
    }

    enum Reason: Sendable {
        /// The listener stops.
        case cancelled
        /// Another connection takes its place.
        case displaced
    }

    private var pace: ConnectionTimeouts
    private let traffic: TrafficTally
    private let logger: Logger
    private let onActivity: (_ isInRequest: Bool) -> Void
    private var wasInRequest = false
    private var context: ChannelHandlerContext?
    private var alarm: (deadline: NIODeadline, task: Scheduled<Void>)?
    private var writtenByteCount = 0

    /// - Parameter onActivity: told when a request begins, and when the last that has begun has its answer
    init(
        rules: ConnectionTimeouts.Rules, now: NIODeadline, traffic: TrafficTally, logger: Logger,
        onActivity: @escaping (_ isInRequest: Bool) -> Void = { _ in }
    ) {
        pace = ConnectionTimeouts(rules: rules, now: now)
        self.traffic = traffic
        self.logger = logger
        self.onActivity = onActivity
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        setAlarm(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        endAlarm()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        endAlarm()
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        if !pace.isReadWanted {
            pace.readWanted(at: context.eventLoop.now)
            setAlarm(context)
        }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let byteCount = unwrapInboundIn(data).readableBytes
        traffic.noteReceived(byteCount)
        pace.bytesArrived(byteCount: byteCount, at: context.eventLoop.now)
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        setAlarm(context)
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let byteCount = unwrapOutboundIn(data).readableBytes
        traffic.noteSent(byteCount)
        writtenByteCount += byteCount
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            pace.outputDrained(at: context.eventLoop.now)
        } else {
            pace.outputFilled(at: context.eventLoop.now)
        }
        setAlarm(context)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .outputClosed {
            pace.outputClosed(at: context.eventLoop.now)
            setAlarm(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if let abort = event as? Abort {
            if abort.reason == .displaced { giveWay(context) }
            context.close(promise: promise)
        } else {
            context.triggerUserOutboundEvent(event, promise: promise)
        }
    }
}

/// What happens in HTTP.
extension TimeoutHandler {
    func requestBegan(isBodyHeldBack: Bool) {
        tell { $0.requestBegan(isBodyHeldBack: isBodyHeldBack, at: $1) }
    }

    func bodyAskedFor() { tell { $0.bodyAskedFor(at: $1) } }

    func requestEnded() { tell { $0.requestEnded(at: $1) } }

    func answerEnded() { tell { $0.answerEnded(at: $1) } }

    private func tell(_ event: (inout ConnectionTimeouts, NIODeadline) -> Void) {
        guard let context else { return }
        event(&pace, context.eventLoop.now)
        setAlarm(context)
    }
}

extension TimeoutHandler {
    private func noteActivity() {
        guard pace.isInRequest != wasInRequest else { return }
        wasInRequest = pace.isInRequest
        onActivity(wasInRequest)
    }

    /// An alarm that rings too early is set again when it rings: so a busy connection need not set one for every byte.
    private func setAlarm(_ context: ChannelHandlerContext) {
        noteActivity()
        guard let deadline = pace.deadline else { return }
        setAlarm(at: deadline, context)
    }

    private func setAlarm(at deadline: NIODeadline, _ context: ChannelHandlerContext) {
        if let alarm {
            guard deadline < alarm.deadline else { return }
            alarm.task.cancel()
        }
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.alarmRang(context) }
        alarm = (deadline, task)
    }

    private func endAlarm() {
        alarm?.task.cancel()
        alarm = nil
    }

    private func alarmRang(_ context: ChannelHandlerContext) {
        alarm = nil
        let taken = pace.isOutputFull ? takenByteCount(context) : nil
        switch pace.look(at: context.eventLoop.now, takenByteCount: taken) {
        case .leave: break
        case .lookAgain(let deadline): setAlarm(at: deadline, context)
        case .close(let reason): close(reason, context)
        }
    }

    private func close(_ reason: ConnectionTimeouts.Reason, _ context: ChannelHandlerContext) {
        logger.debug("A connection is closed", metadata: ["reason": "\(reason)"])
        if reason == .idle {
            // From the other end of the pipeline, so that TLS says goodbye.
            context.channel.close(promise: nil)
        } else {
            if reason == .tooSlow { discardUnsent(context) }
            context.close(promise: nil)
        }
    }

    private func giveWay(_ context: ChannelHandlerContext) {
        logger.debug("A connection is closed", metadata: ["reason": "displaced"])
        if pace.isInRequest { discardUnsent(context) }
    }

    /// What a slow reader did not take, the kernel would keep and go on offering, for minutes and by the megabyte, to a
    /// connection that no longer counts here. Closed like this it ends with a reset.
    private func discardUnsent(_ context: ChannelHandlerContext) {
        guard let socket = context.channel as? any SocketOptionProvider else { return }
        // On the channel's own event loop this is done at once.
        _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }

    /// What the client has acknowledged, or else what is no longer in this process.
    private func takenByteCount(_ context: ChannelHandlerContext) -> Int? {
        if let acknowledged = TCPProgress.acknowledgedByteCount(of: context.channel) { return acknowledged }
        let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        return waiting.map { writtenByteCount - $0 }
    }
}

/// What the kernel knows of a connection's progress. Of megabytes in its send buffer a slow client takes a little at a
/// time, and the process hears of it only when a third of the buffer is free.
enum TCPProgress {
    /// Linux' `struct tcp_info` up to `tcpi_bytes_acked`, which stands behind 120 bytes (include/uapi/linux/tcp.h).
    private struct Information {
        typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64)

        var ahead: (Words, Words, Words)
        var acknowledgedByteCount: UInt64
    }

    /// - Returns: nil where the connection is not TCP, or the kernel does not count
    static func acknowledgedByteCount(of channel: any Channel) -> Int? {
        guard let socket = channel as? any SocketOptionProvider else { return nil }
        var count: UInt64 = 0
        // On the channel's own event loop the answer is there at once.
        let information: EventLoopFuture<Information> = socket.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        information.assumeIsolated().whenSuccess { count = $0.acknowledgedByteCount }
        return count > 0 ? Int(clamping: count) : nil
    }
}

/// Bytes that came and went through the connections of all listeners of the process, as they are on the wire.
package final class TrafficTally: Sendable {
    private let received = Atomic<UInt64>(0)
    private let sent = Atomic<UInt64>(0)

    package var receivedByteCount: UInt64 { received.load(ordering: .relaxed) }
    package var sentByteCount: UInt64 { sent.load(ordering: .relaxed) }

    func noteReceived(_ byteCount: Int) { received.wrappingAdd(UInt64(byteCount), ordering: .relaxed) }
    func noteSent(_ byteCount: Int) { sent.wrappingAdd(UInt64(byteCount), ordering: .relaxed) }
}

/// Lets the requests of one connection begin in their turn, and counts what they take of its event loop: a request that
/// is worked out for long counts as many.
final class RequestMeter: Sendable {
    /// What one request may take and count as one.
    static let usualTime: TimeAmount = .milliseconds(1)

    private let turns: RateLimiter
    private let seat: ConnectionLimiter.Seat
    let executor: EventLoopExecutor
    /// Whether the latest request had to wait for its turn.
    private let hasWaited = Atomic(false)

    init(_ turns: RateLimiter, _ seat: ConnectionLimiter.Seat, _ executor: EventLoopExecutor) {
        self.turns = turns
        self.seat = seat
        self.executor = executor
    }

    /// Returns when the next request may begin, or the next thing of one that counts as a request.
    /// - Throws: when the connection is closed before.
    func waitForTurn(on eventLoop: any EventLoop) async throws {
        settle()
        let turn = turns.ask(for: seat.visitor, as: seat.id, on: eventLoop)
        hasWaited.store(turn != nil, ordering: .relaxed)
        try await turn?.get()
    }

    /// Books what the latest request took beyond what is usual.
    func settle() {
        let hasWaited = hasWaited.exchange(false, ordering: .relaxed)
        let more = executor.takeSpent() - Self.usualTime
        guard more > .zero else { return }
        turns.charge(
            Double(more.nanoseconds) / Double(Self.usualTime.nanoseconds), to: seat.visitor, isCommon: hasWaited)
    }
}
