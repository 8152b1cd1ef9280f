import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Listener
package import Logging
import NIOCore
import NIOHTTP1
package import Vaults

/// The HTTP interface of one vault service: the same routes for every listener.
package struct WebServer: Sendable {
    let router: RouterResponder<WebContext>
    private let proxies: TrustedProxies
    private let base: PageBase
    /// Counts the requests that were answered.
    package let tally = RequestTally()
    private let logger: Logger
    private let gaps: ProxyGapNotices

    /// - Throws: `StaticFiles.Unreadable` when the folder of the page cannot be read, or lacks one of its two pages.
    package init(service: VaultService, configuration: WebConfiguration, logger: Logger) throws {
        let files = try StaticFiles(readingFolder: configuration.wwwPath, base: configuration.base)
        let landing = configuration.plainHTTP == .landing ? try Landing(files) : nil
        // What a clock on the wall shows is read from a file once.
        _ = UTCTime.onHost(Date())
        router = Self.makeRouter(
            service: service, configuration: configuration, files: files, landing: landing, logger: logger
        )
        .buildResponder()
        proxies = configuration.proxies
        base = configuration.base
        self.logger = logger
        gaps = ProxyGapNotices(logger: logger)
    }

    /// Answers one request of a connection.
    package var responder: PeerConnection.Responder {
        { [router, proxies, base, tally, logger, gaps] request, writer, connection in
            let context = WebContext(
                source: .init(connection, request: request, proxies: proxies, logger: logger))
            if let gap = context.proxyGap { gaps.note(gap) }
            let response =
                if let redirection = base.redirection(of: request) {
                    redirection
                } else {
                    try await PageBase.$current.withValue(base.path) {
                        try await router.respond(to: base.stripped(request), context: context)
                    }
                }
            tally.note(response.status)
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                // Thrown on it would be answered a second time, within the answer that is being written.
                throw WebError.bodyEndedEarly
            }
        }
    }

    private static func makeRouter(
        service: VaultService, configuration: WebConfiguration, files: StaticFiles, landing: Landing?,
        logger: Logger
    ) -> Router<WebContext> {
        let router = Router(context: WebContext.self)
        router.add(middleware: AnswerMiddleware())
        router.add(
            middleware: GateMiddleware(
                hosts: HostGate(configuration: configuration, logger: logger),
                plainHTTP: landing.map(PlainHTTPGate.init),
                files: files))
        let access = Access(service: service)
        let reminder = UpgradeReminder(upgrade: configuration.upgrade)
        let routes = RouteTable(router: router)
        // The router looks through the routes in this order: first come those of which a page asks most.
        UploadRoutes(access: access, limits: configuration.limits).add(to: routes)
        ShareRoutes(access: access, limits: configuration.limits).add(to: routes)
        TusRoutes(service: service, access: access).add(to: routes)
        PictureRoutes(access: access).add(to: routes)
        PhotoRoutes(access: access).add(to: routes)
        OriginalRoutes(access: access).add(to: routes)
        TimelineRoutes(access: access).add(to: routes)
        HelloRoutes(service: service, access: access, configuration: configuration).add(to: routes)
        CertificateRoutes(configuration: configuration).add(to: routes)
        AddressRoutes(access: access, configuration: configuration).add(to: routes)
        HealthRoutes(version: configuration.version) { await service.health() }.add(to: routes)
        VaultRoutes(service: service, access: access, limits: configuration.limits).add(to: routes)
        WayRoutes(service: service, access: access, configuration: configuration).add(to: routes)
        SessionRoutes(service: service, access: access, reminder: reminder, limits: configuration.limits)
            .add(to: routes)
        GuestRoutes(service: service, access: access).add(to: routes)
        UploadCheckRoutes(access: access).add(to: routes)
        BatchRoutes(access: access, reminder: reminder).add(to: routes)
        UpgradeRoutes(access: access, limits: configuration.limits).add(to: routes)
        SearchRoutes(access: access, limits: configuration.limits, upgrade: configuration.upgrade).add(to: routes)
        AlbumRoutes(access: access, limits: configuration.limits).add(to: routes)
        PlaceRoutes(access: access, limits: configuration.limits).add(to: routes)
        KeepingRoutes(access: access, limits: configuration.limits).add(to: routes)
        TrashRoutes(access: access, limits: configuration.limits).add(to: routes)
        ArchiveRoutes(access: access, limits: configuration.limits).add(to: routes)
        DAVRoutes(access: access).add(to: routes)
        MovingRoutes(access: access, configuration: configuration).add(to: routes)
        DoorRoutes(service: service, access: access, configuration: configuration).add(to: routes)
        WindowRoutes(service: service, access: access, configuration: configuration).add(to: routes)
        SeeRoutes(service: service, configuration: configuration).add(to: routes)
        GiveRoutes(service: service, reminder: reminder, limits: configuration.limits).add(to: routes)
        routes.refuseOtherMethods()
        return router
    }
}
