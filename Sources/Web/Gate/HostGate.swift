import HTTPTypes
import Hummingbird

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Refuses methods that nobody here knows, addresses that are no paths, and names that are not this host's.
struct HostGate: Sendable {
    private let hosts: HostAllowList

    init(configuration: WebConfiguration) {
        hosts = HostAllowList(
            configured: configuration.hostNames, hostname: configuration.hostname ?? Self.systemHostname())
    }

    func check(_ request: Request, _ context: WebContext) throws {
        guard RouteTable.methods.contains(request.method) else { throw WebError.methodUnknown }
        // A target in absolute form has become a path before it comes here, see `RequestHeadHandler`.
        guard let target = request.head.path, target.hasPrefix("/") || target == "*" else {
            throw WebError.malformedRequest("its target is not a path")
        }
        // The first `Host` has become the authority; a field that is left is a second one.
        guard !request.headers.contains(.host) else { throw WebError.malformedRequest("it names two hosts") }
        guard hosts.allows(host: request.head.authority, local: context.local) else { throw WebError.wrongHost }
    }

    private static func systemHostname() -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
