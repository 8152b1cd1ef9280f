import NIOCore
import NIOHTTP1

/// Refuses requests whose end other programs on the way may see elsewhere, and that the decoder lets pass: with a
/// `Transfer-Encoding` that is not `chunked` alone, such as an empty one, or in HTTP/1.0, which knows none
/// (RFC 9112, 6.1 and 6.3).
final class FramingHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isRefused { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.isEndCertain(head) {
            isRefused = true
            context.fireErrorCaught(HTTPParserError.unknown)
        } else {
            context.fireChannelRead(data)
        }
    }

    private static func isEndCertain(_ head: HTTPRequestHead) -> Bool {
        let codings = head.headers["Transfer-Encoding"]
        if codings.isEmpty { return true }
        return head.version == .http1_1 && codings.count == 1 && codings[0].lowercased() == "chunked"
    }
}
