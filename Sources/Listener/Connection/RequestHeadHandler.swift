import NIOCore
import NIOHTTP1

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
