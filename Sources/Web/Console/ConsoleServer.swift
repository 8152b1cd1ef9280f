import HTTPTypes
import Hummingbird
package import Listener
package import Logging
import NIOCore
import Records
package import Vaults

/// What the host's own programs may look at: `/metrics`, `/health`, `/status`. For listeners on loopback or a socket
/// file, never for those of the page.
package struct ConsoleServer: Sendable {
    /// Answers one request of a connection.
    package let responder: PeerConnection.Responder

    /// - Parameters:
    ///   - actions: what the owner may do besides looking; nil on listeners that others of this host reach
    ///   - figures: of the moment; asked for every answer
    package init(
        service: VaultService, version: String, actions: ConsoleActions? = nil,
        figures: @escaping @Sendable () async -> HostFigures, logger: Logger
    ) {
        let router = Router(context: WebContext.self)
        router.add(middleware: AnswerMiddleware())
        router.add(middleware: ConsoleMiddleware())
        let routes = RouteTable(router: router)
        HealthRoutes(version: version) { await service.health() }.add(to: routes)
        routes.on(.get, "/metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: MetricsText.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: MetricsText(await figures()).text)))
        }
        let isForKeeper = actions != nil
        routes.on(.get, "/status") { _, context in
            try context.answer(StatusPayload(await figures(), await service.health(), isForKeeper: isForKeeper))
        }
        if let actions {
            actions.add(to: routes)
            GuestSpaceRoutes(service: service).add(to: routes)
            ImportRoutes(service: service, access: Access(service: service)).add(to: routes)
        }
        routes.refuseOtherMethods()
        responder = router.buildResponder().answeringPeers(logger: logger)
    }
}

/// Refuses everybody who is not of this host.
struct ConsoleMiddleware: RouterMiddleware {
    private let access = ConsoleAccess()

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        try access.check(
            remote: context.remote, local: context.local, host: request.head.authority, fields: request.headers)
        context.allowance.admit(as: .host)
        return try await next(request, context)
    }
}

/// Who may look at figures of the host: programs on the host itself, at its own hand.
///
/// The console is listened to on loopback or a socket file only. That alone keeps neither a proxy of this host from
/// handing it on, whose connections come from here too, nor a page that a browser of this host has open: it reaches
/// loopback under a name of its own.
struct ConsoleAccess {
    private let hosts = HostAllowList(configured: [], hostname: nil)

    /// - Parameter host: what the request calls this host.
    /// - Throws: `notFound` for those from elsewhere, `wrongHost`, `crossSite` for pages of browsers.
    func check(remote: ClientAddress, local: ClientAddress, host: String?, fields: HTTPFields) throws(WebError) {
        guard remote.isLoopback, local.isLoopback, !ProxySigns.areIn(fields, host: host) else {
            throw .notFound
        }
        guard hosts.allows(host: host, local: local) else { throw .wrongHost }
        guard !fields.contains(.origin), fields[.secFetchSite] ?? "none" == "none" else { throw .crossSite }
    }
}

/// What the owner does to the running daemon from the host itself, by the socket that only the daemon's user reaches.
package struct ConsoleActions: Sendable {
    private let renewAuthority: @Sendable () async throws -> Void
    private let beginCountsAnew: @Sendable () -> Void

    /// - Parameters:
    ///   - renewAuthority: puts a new authority in place of the present one
    ///   - beginCountsAnew: lifts what limits of a day hold back
    package init(
        renewAuthority: @escaping @Sendable () async throws -> Void, beginCountsAnew: @escaping @Sendable () -> Void
    ) {
        self.renewAuthority = renewAuthority
        self.beginCountsAnew = beginCountsAnew
    }

    func add(to routes: RouteTable) {
        routes.on(.post, "/limits") { _, context in
            beginCountsAnew()
            return try context.answer(EmptyPayload())
        }
        routes.on(.post, "/authority") { _, context in
            do {
                try await renewAuthority()
                return try context.answer(EmptyPayload())
            } catch {
                // The reason is for whoever has typed the command.
                let problem = ProblemDetails(.conflict, "authority", "\(error)", "The present authority stays.")
                return try context.answer(problem, status: problem.status)
            }
        }
    }
}

/// What `safelight status` shows, and prints with `--json`. Times in seconds since 1970.
package struct StatusPayload: Codable, Sendable, Equatable {
    package struct Check: Codable, Sendable, Equatable {
        package var name: String
        package var status: String
        package var output: String?
    }

    package var running = true
    package var version: String
    package var process: Int32
    package var startedAt: Int64
    package var health: String
    package var checks: [Check]
    package var uploadsInFlight: Int
    package var devices: Int
    package var freeBytes: UInt64?
    package var diskBytes: UInt64?
    package var lastBackupAt: UInt64?
    package var memoryBytes: UInt64
    /// Of the daemon's own vaults, in this run, rounded up; absent where there are none, and for those who only look.
    package var coverBytes: UInt64?
    package var coverByteLimit: UInt64?
    package var coverFiles: Int?
    package var coverFileLimit: Int?

    /// - Parameter isForKeeper: whether it goes to nobody but the daemon's user
    package init(_ figures: HostFigures, _ health: Health, isForKeeper: Bool = false) {
        version = figures.version
        process = figures.process.id
        startedAt = Int64(figures.process.startTime)
        self.health = health.status.rawValue
        checks = health.checks.map { Check(name: $0.name, status: $0.status.rawValue, output: $0.output) }
        uploadsInFlight = figures.service.uploadsInFlight
        devices = figures.strangerConnectionCount
        freeBytes = figures.service.freeByteCount
        diskBytes = figures.service.totalByteCount
        lastBackupAt = figures.service.lastBackup
        memoryBytes = figures.process.residentByteCount
        guard isForKeeper, let cover = figures.service.cover else { return }
        (coverBytes, coverByteLimit) = (cover.byteCount, cover.byteLimit)
        (coverFiles, coverFileLimit) = (cover.objectCount, cover.objectLimit)
        checks.append(
            Check(
                name: "cover", status: Health.Status.pass.rawValue,
                output: "\(cover.byteCount >> 20) MiB of at most \(cover.byteLimit >> 20) MiB, "
                    + "\(cover.objectCount) of at most \(cover.objectLimit) files"))
    }
}

/// What `safelight guests` shows. Days since 1970.
package struct GuestSpacePayload: Codable, Sendable, Equatable {
    package var id: String
    package var firstDay: UInt32
    package var lastDay: UInt32
    package var photos: Int
    package var unfinished: Int
    package var bytes: UInt64

    package init(_ space: GuestSpace) {
        id = space.id
        firstDay = space.firstDay
        lastDay = space.lastDay
        photos = space.photoCount
        unfinished = space.unfinishedCount
        bytes = space.byteCount
    }
}

/// Which spaces are to be ended, and how many were.
package struct GuestEndPayload: Codable, Sendable {
    package var ids: [String]

    package init(ids: [String]) { self.ids = ids }
}

package struct GuestEndAnswer: Codable, Sendable {
    package var count: Int
}

/// Guests' spaces are shown to, and ended by, the user of the daemon alone: by the socket in the data directory. Anybody
/// on the host may reach an address of loopback.
struct GuestSpaceRoutes {
    /// More than any list of spaces takes.
    private static let mostByteCount = 4 << 20

    let service: VaultService

    func add(to routes: RouteTable) {
        routes.on(.get, "/guests") { _, context in
            try context.answer(await service.guestSpaces().rows(from: context.allowance, GuestSpacePayload.init))
        }
        routes.on(.post, "/guests/end") { request, context in
            let wanted = try await request.decodeJSON(GuestEndPayload.self, limit: Self.mostByteCount, context)
            return try context.answer(GuestEndAnswer(count: try await service.endGuests(wanted.ids)))
        }
    }

}
