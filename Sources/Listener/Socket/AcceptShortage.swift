import Glibc
import Logging
import NIOCore

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
