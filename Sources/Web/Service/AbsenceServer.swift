import HTTPTypes
import Hummingbird
package import Listener
package import Logging
import NIOCore

/// What is answered while the disk of the vaults is not there: 503 to everybody, in words, and its reason to monitors.
/// There is nothing to protect yet, so it answers under every name.
package struct AbsenceServer: Sendable {
    /// Answers one request of a connection.
    package let responder: PeerConnection.Responder

    package init(version: String, logger: Logger) {
        let router = Router(context: WebContext.self)
        router.add(middleware: AnswerMiddleware())
        router.add(middleware: AbsenceMiddleware())
        let routes = RouteTable(router: router)
        HealthRoutes(version: version) { .absent }.add(to: routes)
        routes.refuseOtherMethods()
        responder = router.buildResponder().answeringPeers(logger: logger)
    }
}

private struct AbsenceMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        if HealthRoutes.addresses.contains(request.uri.path) { return try await next(request, context) }
        var response = try Self.isPage(request) ? FormPage.document(.serviceUnavailable, title: title, text) : problem()
        response.headers[.retryAfter] = "10"
        return request.method == .head ? response.createHeadResponse() : response
    }

    private static func isPage(_ request: Request) -> Bool {
        request.headers[.accept]?.lowercased().contains("text/html") == true
    }

    private func problem() throws -> Response {
        var response = try Response(
            status: .serviceUnavailable,
            json: ProblemDetails(
                .serviceUnavailable, "not-mounted", "The disk with the photos is not there.",
                "Nothing is lost. Safelight goes on by itself once the disk is connected and mounted."))
        response.headers[.contentType] = "application/problem+json"
        return response
    }

    private var title: String { "The disk with the photos is not there" }

    private var text: String {
        """
        <p>Nothing is lost. Safelight goes on by itself once the disk is connected to its computer again; then load this \
        page once more.</p>
        <section lang="zh-Hans"><h2>存放照片的硬盘不在</h2>
        <p>什么都没有丢失。硬盘重新接到电脑上以后，Safelight 会自动继续；那时请重新加载此页。</p></section>
        <section lang="zh-Hant"><h2>存放照片的硬碟不在</h2>
        <p>什麼都沒有遺失。硬碟重新接到電腦上以後，Safelight 會自動繼續；那時請重新載入此頁。</p></section>
        """
    }
}
