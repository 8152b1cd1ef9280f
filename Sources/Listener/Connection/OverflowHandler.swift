import HTTPTypes
import NIOCore
import NIOHTTPTypes

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
