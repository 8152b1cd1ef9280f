import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Stands at the end of a connection where requests are answered, carries out what `Conversation` decides, and tells
/// `TimeoutHandler` what happens.
///
/// Hummingbird takes the connection's end for a body's end, and reads a refused body to its end however long it is. Here
/// the first is an error, which reaches the reader before the end does (the HTTP decoder raises one of its own in the
/// cases known; a photo must not depend on it), and the second is bounded.
final class ConversationHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var conversation: Conversation
    private let pace: TimeoutHandler
    private let linger: TimeAmount
    private let isLimitedToOneRequest: Bool
    private let isFromThisHost: Bool
    private var closing: Scheduled<Void>?
    private var pieces = BodyPieces()
    /// A head came that is larger than is taken.
    private var isHeadTooLarge = false
    /// Ends of answers that have not left for the client yet. To close before they have would cut the answer off.
    private var unsentEndCount = 0
    private var whenSent: [(ChannelHandlerContext) -> Void] = []

    init(limits: ListenerLimits, pace: TimeoutHandler, isLimitedToOneRequest: Bool, isFromThisHost: Bool) {
        conversation = Conversation(
            refusedBodyByteCount: limits.refusedBodyByteCount, exposedBodyByteCount: limits.exposedBodyByteCount,
            lingerCount: limits.refusedBodyLingerCount)
        self.pace = pace
        self.isLimitedToOneRequest = isLimitedToOneRequest
        self.isFromThisHost = isFromThisHost
        linger = TimeAmount(limits.refusedBodyLinger)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closing?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .head(let head) = part { requestBegan(head) }
        if conversation.isIgnoring { return }
        if case .body(let bytes) = part {
            guard conversation.bodyArrived(byteCount: bytes.readableBytes) else { return }
            if let whole = pieces.add(bytes) { context.fireChannelRead(wrapInboundOut(.body(whole))) }
            return
        }
        if case .end = part {
            passOn(context)
            pace.requestEnded()
            if conversation.requestEnded() { afterAnswers(context) { $0.close(promise: nil) } }
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        passOn(context)
        context.fireChannelReadComplete()
        if conversation.isReadingOn { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputEnded(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            if conversation.quiesce() { afterAnswers(context) { $0.close(promise: nil) } }
        case let event as ChannelEvent where event == .inputClosed:
            inputEnded(context)
            context.fireUserInboundEventTriggered(event)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        passOn(context)
        let parserError = error as? HTTPParserError
        if parserError == .headerOverflow { isHeadTooLarge = true }
        if error is HTTP1TypeConversionError {
            // As malformed as what the parser finds, and answered like it.
            context.fireErrorCaught(HTTPParserError.unknown)
        } else if conversation.isWithinBody, parserError == nil || parserError == .invalidEOFState {
            context.fireErrorCaught(ListenerError.bodyEndedEarly)
        } else {
            context.fireErrorCaught(error)
        }
    }

    func read(context: ChannelHandlerContext) {
        if conversation.mayRead { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        switch part {
        case .head(let head) where head.status.kind == .informational:
            guard conversation.takesInformation else {
                promise?.succeed()
                return
            }
            if head.status == .continue { pace.bodyAskedFor() }
            context.write(data, promise: promise)
        // Hummingbird's own to what is malformed: those of the routes have words.
        case .head(let head)
        where isHeadTooLarge && head.status == .badRequest && head.headerFields[.contentLength] == "0":
            write(LargeHeadAnswer.head, wrapOutboundOut(.head(LargeHeadAnswer.head)), promise, context)
            guard conversation.takesAnswer else { return }
            context.write(wrapOutboundOut(.body(ByteBuffer(string: LargeHeadAnswer.body))), promise: nil)
        case .head(let head):
            write(head, data, promise, context)
        case .body, .end:
            guard conversation.takesAnswer else {
                promise?.succeed()
                return
            }
            guard case .end = part else { return context.write(data, promise: promise) }
            writeEnd(data, promise, context)
            answerEnded(context)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        // Behind a client that has closed its direction this would close both, and drop what waits.
        afterAnswers(context) { $0.close(mode: .output, promise: promise) }
    }

    private func writeEnd(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        let sent = promise ?? context.eventLoop.makePromise()
        unsentEndCount += 1
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.unsentEndCount -= 1
            guard self.unsentEndCount == 0 else { return }
            defer { self.whenSent = [] }
            for action in self.whenSent { action(context) }
        }
        context.write(data, promise: sent)
    }

    /// Does it once all answers have left for the client, or the connection is gone.
    private func afterAnswers(_ context: ChannelHandlerContext, _ action: @escaping (ChannelHandlerContext) -> Void) {
        if unsentEndCount == 0 { action(context) } else { whenSent.append(action) }
    }

    private func write(
        _ head: HTTPResponse, _ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
    ) {
        switch conversation.answerBegan() {
        case .asIs:
            context.write(data, promise: promise)
        case .announceClose:
            var head = head
            // An answer may have an option of its own there, such as `Upgrade`.
            let options = head.headerFields[.connection]
            head.headerFields[.connection] = options.map { $0 == "close" ? $0 : "\($0), close" } ?? "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .drop:
            promise?.succeed()
        case .abort:
            promise?.fail(ChannelError.ioOnClosedChannel)
            context.close(promise: nil)
        }
    }

    private func answerEnded(_ context: ChannelHandlerContext) {
        pace.answerEnded()
        switch conversation.answerEnded() {
        case .nothing: break
        case .close:
            context.flush()
            afterAnswers(context) { $0.close(mode: .output, promise: nil) }
        case .linger:
            context.flush()
            if conversation.isReadingOn { context.read() }
            afterAnswers(context) { self.closeLater($0) }
        }
    }

    private func closeLater(_ context: ChannelHandlerContext) {
        closing = context.eventLoop.assumeIsolated().scheduleTask(in: linger) {
            if self.conversation.lingered() { self.closeLater(context) } else { context.close(promise: nil) }
        }
    }

    private func requestBegan(_ head: HTTPRequest) {
        conversation.requestBegan(
            isLast: isLimitedToOneRequest || head.headerFields[.connection] == "close",
            isExposed: head.scheme != "https" && !isFromThisHost)
        if !conversation.isIgnoring { pace.requestBegan(isBodyHeldBack: head.headerFields[.expect] != nil) }
    }

    /// What came of a body and was held back so far.
    private func passOn(_ context: ChannelHandlerContext) {
        if let whole = pieces.take() { context.fireChannelRead(wrapInboundOut(.body(whole))) }
    }

    private func inputEnded(_ context: ChannelHandlerContext) {
        passOn(context)
        if conversation.isWithinBody { context.fireErrorCaught(ListenerError.bodyEndedEarly) }
    }
}

/// The answer to a head that is too large (RFC 9457, RFC 6585). Browsers send the cookies of all programs of a host to
/// each of them, whatever the port, and the person who sees this can do nothing about it but delete them.
private enum LargeHeadAnswer {
    static let body = """
        {"type":"about:blank","title":"The head of this request is too large.","status":431,"code":"header-too-large",\
        "detail":"Nothing was changed. In a browser it is mostly cookies of other programs on this host: delete the \
        cookies of this address, or open it under another name."}
        """

    static let head = HTTPResponse(
        status: .requestHeaderFieldsTooLarge,
        headerFields: [
            .contentType: "application/problem+json", .contentLength: String(body.utf8.count),
            .cacheControl: "no-store", .connection: "close",
        ])
}

/// Puts small pieces of a body together that came with one reading of the socket: each piece that is handed on costs its
/// reader the same, and a client may send each byte as a chunk of its own. Pure.
struct BodyPieces {
    /// Bytes below which a piece is small. A body that is sent as a whole never comes in two of these at once, so that no
    /// copy of a password is left here.
    static let small = 512
    /// Bytes that are put together at most.
    static let most = 8192

    private var held: ByteBuffer?
    /// Whether that is a copy already.
    private var isPutTogether = false

    /// - Returns: what is to be handed on now, in the order in which it came.
    mutating func add(_ piece: ByteBuffer) -> ByteBuffer? {
        let limit = isPutTogether ? Self.most - Self.small : Self.small
        guard var whole = take() else {
            held = piece
            return nil
        }
        guard piece.readableBytes < Self.small, whole.readableBytes < limit else {
            held = piece
            return whole
        }
        whole.writeImmutableBuffer(piece)
        (held, isPutTogether) = (whole, true)
        return nil
    }

    /// What is held back, which is handed on before anything else that happens on the connection.
    mutating func take() -> ByteBuffer? {
        defer { (held, isPutTogether) = (nil, false) }
        return held
    }
}
