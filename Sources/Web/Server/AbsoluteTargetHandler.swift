import NIOCore
import NIOHTTP1

/// Keeps the host that a request target in absolute form names (`GET http://name/path`), which the next handler would
/// drop: where it differs from `Host`, as a second `Host` field, so that the two are seen to disagree.
final class AbsoluteTargetHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), let authority = Self.authority(of: head.uri),
            authority != head.headers.first(name: "Host")
        else {
            context.fireChannelRead(data)
            return
        }
        head.headers.add(name: "Host", value: authority)
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// What stands between `//` and the path, if the target has a scheme.
    private static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let slashes = target.firstRange(of: "://") else { return nil }
        return String(target[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }
}
