import HTTPTypes
import Hummingbird
import Logging

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
    private let search: CurrentSearchDomains
    private let strangers: UnknownNames

    init(configuration: WebConfiguration, logger: Logger) {
        search = CurrentSearchDomains(read: configuration.searchDomains)
        strangers = UnknownNames(logger: logger)
        hosts = HostAllowList(
            configured: configuration.hostNames, hostname: configuration.hostname ?? Self.systemHostname())
    }

    func check(_ request: Request, _ context: WebContext) async throws {
        guard RouteTable.methods.contains(request.method) else { throw WebError.methodUnknown }
        // A target in absolute form has become a path before it comes here, see `RequestHeadHandler`.
        guard let target = request.head.path, target.hasPrefix("/") || target == "*" else {
            throw WebError.malformedRequest("its target is not a path")
        }
        // The first `Host` has become the authority; a field that is left is a second one.
        guard !request.headers.contains(.host) else { throw WebError.malformedRequest("it names two hosts") }
        let host = request.head.authority
        if hosts.allows(host: host, local: context.local) { return }
        if let domains = await search.value(), hosts.allows(host: host, in: domains) { return }
        strangers.note(host)
        throw WebError.wrongHost
    }

    private static func systemHostname() -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
