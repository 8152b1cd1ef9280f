import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Carries out what `RequestBodyWatch` decides.
///
/// Hummingbird takes the connection's end for a body's end, and reads a refused body to its end however long it is. Here
/// the first is an error, which reaches the reader before the end does (the HTTP decoder raises one of its own in the
/// cases known; a photo must not depend on it), and the second is bounded.
final class RequestBodyHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var watch: RequestBodyWatch
    private let linger: TimeAmount
    private var closing: Scheduled<Void>?

    init(limits: WebLimits) {
        watch = RequestBodyWatch(refusedBodyByteCount: limits.refusedBodyByteCount)
        linger = TimeAmount(limits.refusedBodyLinger)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closing?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            watch.requestBegan()
        case .body(let bytes):
            watch.bodyArrived(byteCount: bytes.readableBytes)
        case .end:
            if watch.requestEnded() { context.close(promise: nil) }
        }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputEnded(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { inputEnded(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func read(context: ChannelHandlerContext) {
        if watch.mayRead { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational && watch.answerBegan() == .announceClose:
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where watch.answerEnded() == .linger:
            context.write(data, promise: promise)
            closing = context.eventLoop.assumeIsolated().scheduleTask(in: linger) { context.close(promise: nil) }
        default:
            context.write(data, promise: promise)
        }
    }

    private func inputEnded(_ context: ChannelHandlerContext) {
        if watch.inputEnded() { context.fireErrorCaught(WebError.bodyEndedEarly) }
    }
}
