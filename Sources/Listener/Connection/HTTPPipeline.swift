import Bytes
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Turns bytes into requests and answers into bytes.
struct HTTPPipeline {
    let limits: ListenerLimits

    /// - Parameter position: behind the handler that gives and takes bytes
    func add(
        isSecure: Bool, to pipeline: ChannelPipeline.SynchronousOperations,
        at position: ChannelPipeline.SynchronousOperations.Position
    ) throws {
        var decoderLimits = NIOHTTPDecoderLimitConfiguration()
        decoderLimits.maxHeaderFieldSize = limits.headerByteCount
        decoderLimits.maxHeaderListSize = limits.headerByteCount
        decoderLimits.maxHeaderFieldCount = limits.headerFieldCount
        // Each takes the same position and moves those before it on.
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: isSecure), position: position)
        try pipeline.addHandler(RequestHeadHandler(), position: position)
        try pipeline.addHandler(FramingHandler(), position: position)
        // Pipelined requests wait in the queue of their connection's task; errors are answered there. Header fields
        // are valid by their types.
        try pipeline.configureHTTPServerPipeline(
            position: position, withPipeliningAssistance: false, withErrorHandling: false,
            withOutboundHeaderValidation: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: decoderLimits)
    }
}

/// Refuses requests whose end other programs on the way may see elsewhere, and that the decoder lets pass: with a
/// `Transfer-Encoding` that is not `chunked` alone, such as an empty one, or in HTTP/1.0, which knows none
/// (RFC 9112, 6.1 and 6.3); and those whose target or fields cannot be compared with anything in a short time.
final class FramingHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isRefused { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.isComparable(head) || !Self.isEndCertain(head) {
            isRefused = true
            context.fireErrorCaught(HTTPParserError.unknown)
        } else {
            context.fireChannelRead(data)
        }
    }

    private static func isComparable(_ head: HTTPRequestHead) -> Bool {
        head.uri.isStreamSafe && head.headers.allSatisfy { $0.value.isStreamSafe }
    }

    private static func isEndCertain(_ head: HTTPRequestHead) -> Bool {
        let codings = head.headers["Transfer-Encoding"]
        if codings.isEmpty { return true }
        return head.version == .http1_1 && codings.count == 1 && codings[0].lowercased() == "chunked"
    }
}

/// Stands in connections over the limit: lets one request about health pass, and answers any other itself.
final class OverflowHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let paths: Set<String>
    private var isRefused = false

    init(paths: Set<String>) {
        self.paths = paths
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            if !isRefused { context.fireChannelRead(data) }
            return
        }
        let path = head.path.map { String($0.prefix { $0 != "?" }) }
        guard !isRefused, let path, paths.contains(path), head.method == .get || head.method == .head else {
            refuse(context, hasBody: head.method != .head)
            return
        }
        head.headerFields[.connection] = "close"
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private func refuse(_ context: ChannelHandlerContext, hasBody: Bool) {
        guard !isRefused else { return }
        isRefused = true
        context.write(wrapOutboundOut(.head(BusyAnswer.head)), promise: nil)
        if hasBody { context.write(wrapOutboundOut(.body(ByteBuffer(string: BusyAnswer.body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

/// The answer where there is no room for another connection (RFC 9457).
private enum BusyAnswer {
    static let body = """
        {"type":"about:blank","title":"Too many devices are connected at once.","status":503,"code":"busy",\
        "detail":"Nothing was changed. Please try again in a few seconds."}
        """

    static let head = HTTPResponse(
        status: .serviceUnavailable,
        headerFields: [
            .contentType: "application/problem+json", .contentLength: String(body.utf8.count),
            .cacheControl: "no-store", .retryAfter: "5",
        ])
}

/// Keeps what the next handler would drop of a request's head.
///
/// - The host that a target in absolute form names (`GET http://name/path`): where it differs from `Host`, as a second
///   `Host` field, so that the two are seen to disagree.
/// - That the connection ends behind this request, by its version, by its `Connection` field however that is written,
///   or because the decoder stops behind it (`CONNECT`, `Upgrade`): as `Connection: close`.
/// - That it is HTTP/1.0, whose clients would take a 100 for the answer: by dropping `Expect` (RFC 9110, 10.1.1), and by
///   a field `Safelight-Old-HTTP`.
final class RequestHeadHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        let authority = Self.authority(of: head.uri)
        let isLast = !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "Upgrade")
        let isOld = head.version.major <= 1 && head.version.minor == 0
        guard isLast || isOld || authority != nil else {
            context.fireChannelRead(data)
            return
        }
        if isOld {
            head.headers.remove(name: "Expect")
            head.headers.replaceOrAdd(name: "Safelight-Old-HTTP", value: "1")
        }
        if isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        if let authority, authority != head.headers.first(name: "Host") {
            head.headers.add(name: "Host", value: authority)
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// What stands between `//` and the path, if the target has a scheme.
    private static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let slashes = target.firstRange(of: "://") else { return nil }
        return String(target[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }
}
