import Glibc
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

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

/// Keeps what other devices send unencrypted away from everything but the way to the secure address, and from doors whose
/// owners do not want it. No password of such a request is looked at, and no cookie but that of somebody at a door.
struct PlainHTTPGate: Sendable {
    private let landing: Landing
    private let rule: PlainHTTPRule

    init(landing: Landing) {
        self.landing = landing
        rule = PlainHTTPRule(
            open: landing.addresses.union(HealthRoutes.addresses).union(CertificateRoutes.addresses),
            openAtDoors: landing.addressesAtDoors)
    }

    /// - Returns: nil where the request goes on, without its cookies if it came unencrypted.
    func answer(_ request: inout Request, _ context: inout WebContext) throws -> Response? {
        guard !context.isSecure && !context.isLocalPeer else { return nil }
        let decision = rule.decision(
            method: request.method, target: request.head.path ?? "", host: request.head.authority ?? "",
            hasCredentials: request.headers.contains(.authorization))
        if let gap = context.proxyGap, decision != .serve {
            // It leads nowhere: the client may be at `https` already.
            if decision == .refuse { throw WebError.proxyIncomplete(gap) }
            return ProxyPage.answer(gap)
        }
        switch decision {
        case .landing: return try landing.page.answer(request)
        case .serve:
            request = request.withCookie(nil)
            return nil
        case .visit:
            let (fields, place) = (request.headers[values: .cookie], context.cookiePlace)
            request = request.withCookie(
                SessionCookie.visitor.value(in: fields, at: place).map {
                    "\(SessionCookie.visitor.name(at: place))=\($0)"
                })
            context.isReadableVisit = true
            return nil
        case .redirect(let address): return Response(status: .permanentRedirect, headers: [.location: address])
        case .refuse: throw WebError.tlsRequired
        }
    }
}

extension Request {
    fileprivate func withCookie(_ cookie: String?) -> Request {
        var head = head
        head.headerFields[.cookie] = cookie
        return Request(head: head, body: body)
    }
}

/// What a person's browser shows under a name that this host does not know. It names no file of this host: under that
/// name it would get none.
enum WrongHostPage {
    /// Nil for programs, which get the answer of all errors.
    static func answer(to request: Request) -> Response? {
        guard request.method == .get || request.method == .head,
            request.headers[.accept]?.lowercased().contains("text/html") == true
        else { return nil }
        let name = name(of: request.head.authority ?? "")
        let response = Response(
            status: .misdirectedRequest, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page(name))))
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Without its port, and without anything that could be markup. An address of IPv6 loses its brackets and its zone.
    private static func name(of host: String) -> String {
        let isAddress = host.hasPrefix("[")
        let name = isAddress ? host.dropFirst().prefix { $0 != "]" && $0 != "%" } : host.prefix { $0 != ":" }
        let others = isAddress ? ":." : ".-_"
        return String(
            name.prefix(100).filter { $0.isASCII && ($0.isLetter || $0.isNumber || others.contains($0)) })
    }

    private static func page(_ name: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Safelight</title>
        </head>
        <body>
        <main>
        <section lang="en">
        <h1>Safelight does not know this name yet</h1>
        <p>You asked for <b>\(name)</b>. Your photos are safe; take one of the addresses that this computer shows at its start.</p>
        <p>For whoever looks after it: add the name in <code>/etc/safelight/safelight.yaml</code>, then <code>systemctl restart safelight</code>.</p>
        </section>
        <section lang="zh-Hans">
        <h1>Safelight 还不认识这个名称</h1>
        <p>您访问的是 <b>\(name)</b>。照片都很安全；请改用这台电脑启动时显示的地址。</p>
        <p>给管理这台电脑的人：把这个名称加入 <code>/etc/safelight/safelight.yaml</code>，然后运行 <code>systemctl restart safelight</code>。</p>
        </section>
        <section lang="zh-Hant">
        <h1>Safelight 還不認識這個名稱</h1>
        <p>您開啟的是 <b>\(name)</b>。照片都很安全；請改用這台電腦啟動時顯示的位址。</p>
        <p>給管理這台電腦的人：把這個名稱加入 <code>/etc/safelight/safelight.yaml</code>，然後執行 <code>systemctl restart safelight</code>。</p>
        </section>
        <pre><code>hosts: [\(name.contains(":") ? "\"\(name)\"" : name)]</code></pre>
        </main>
        </body>
        </html>

        """
    }
}
