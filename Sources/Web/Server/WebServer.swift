import FoundationEssentials
import HTTPTypes
import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix
package import ServiceLifecycle
package import Vaults

/// The HTTP interface of one vault service: the same routes on any number of listen addresses.
package struct WebServer: Sendable {
    let router: RouterResponder<WebContext>
    private let limits: WebLimits
    private let logger: Logger

    /// - Throws: `StaticFiles.Unreadable` when the folder of the page cannot be read or has no `index.html`.
    package init(service: VaultService, configuration: WebConfiguration, logger: Logger) throws {
        let files = try StaticFiles(readingFolder: configuration.wwwPath)
        router = Self.makeRouter(service: service, configuration: configuration, files: files).buildResponder()
        limits = configuration.limits
        self.logger = logger
    }

    /// A service that listens at one address until it is told to shut down; requests in progress are finished first.
    /// - Parameters:
    ///   - host: an IP address or a name
    ///   - port: 0 takes any free one
    ///   - onListening: told the address once connections are accepted
    package func listener(
        host: String, port: Int, onListening: @escaping @Sendable (SocketAddress?) async -> Void = { _ in }
    ) throws -> any Service {
        try builder.buildServer(
            configuration: ServerConfiguration(address: .hostname(host, port: port)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger, responder: responder,
            onServerRunning: { channel in await onListening(channel.localAddress) })
    }

    /// Answers one request of a connection; for listeners of other kinds.
    package var responder: HTTPChannelHandler.Responder {
        { [router, logger] request, writer, channel in
            let context = WebContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            let response = try await router.respond(to: request, context: context)
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                // Thrown on it would be answered a second time, within the answer that is being written.
                throw WebError.bodyEndedEarly
            }
        }
    }

    /// The kind of connection that `listener` serves.
    package var builder: HTTPServerBuilder {
        HTTPServerBuilder { [limits] responder in WebChannel(limits: limits, responder: responder) }
    }

    private static func makeRouter(
        service: VaultService, configuration: WebConfiguration, files: StaticFiles
    ) -> Router<WebContext> {
        let router = Router(context: WebContext.self)
        router.add(middleware: SecurityHeadersMiddleware())
        router.add(middleware: TusMiddleware())
        router.add(middleware: ErrorMiddleware())
        router.add(middleware: HostMiddleware(configuration: configuration))
        router.add(middleware: CrossSiteMiddleware())
        router.add(middleware: StaticFilesMiddleware(files: files))
        let access = Access(service: service)
        let routes = RouteTable(router: router)
        HelloRoutes(service: service, access: access, configuration: configuration).add(to: routes)
        HealthRoutes(service: service, version: configuration.version).add(to: routes)
        VaultRoutes(service: service, access: access, limits: configuration.limits).add(to: routes)
        SessionRoutes(service: service, access: access, limits: configuration.limits).add(to: routes)
        UploadRoutes(access: access, limits: configuration.limits).add(to: routes)
        TusRoutes(service: service, access: access).add(to: routes)
        UploadCheckRoutes(access: access).add(to: routes)
        BatchRoutes(access: access).add(to: routes)
        PhotoRoutes(access: access).add(to: routes)
        OriginalRoutes(access: access, limits: configuration.limits).add(to: routes)
        TrashRoutes(access: access, limits: configuration.limits).add(to: routes)
        ArchiveRoutes(access: access, limits: configuration.limits).add(to: routes)
        routes.refuseOtherMethods()
        return router
    }
}
