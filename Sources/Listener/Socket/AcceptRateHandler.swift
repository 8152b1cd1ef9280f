import NIOCore

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
