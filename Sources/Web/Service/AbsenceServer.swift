import HTTPTypes
import Hummingbird
package import Listener
package import Logging
import NIOCore
import Vaults

/// What is answered while there is nothing to be served: 503 to everybody, in words, and its reason to monitors.
/// There is nothing to protect yet, so it answers under every name.
package struct AbsenceServer: Sendable {
    package enum Reason: Sendable {
        /// The disk of the vaults is not there.
        case disk
        /// Another host serves them, and this one follows it.
        case standBy
        /// Another process works on them.
        case inUse
        /// The bucket that everything goes along to does not answer.
        case bucket
        /// The disk of the vaults has no room for a start.
        case fullDisk
        /// That disk does not do what it is told, or this host has too few descriptors or too little memory for it.
        case failingDisk
    }

    /// Answers one request of a connection.
    package let responder: PeerConnection.Responder

    /// - Parameter detail: asked for each look at the health
    package init(
        _ reason: Reason, detail: @escaping @Sendable () -> String? = { nil }, version: String, logger: Logger
    ) {
        let router = Router(context: WebContext.self)
        router.add(middleware: AnswerMiddleware())
        router.add(middleware: AbsenceMiddleware(reason: reason))
        let routes = RouteTable(router: router)
        HealthRoutes(version: version) { Self.health(reason, detail()) }.add(to: routes)
        routes.refuseOtherMethods()
        responder = router.buildResponder().answeringPeers(logger: logger)
    }

    private static func health(_ reason: Reason, _ detail: String?) -> Health {
        switch reason {
        case .disk: .absent
        case .standBy: .standingBy
        case .inUse: .waiting("in-use", detail)
        case .bucket: .waiting("bucket-unreachable", detail)
        case .fullDisk: .waiting("disk-full", detail)
        case .failingDisk: .waiting("degraded", detail)
        }
    }
}

private struct AbsenceMiddleware: RouterMiddleware {
    let reason: AbsenceServer.Reason

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        if HealthRoutes.addresses.contains(request.uri.path) { return try await next(request, context) }
        var response =
            try Self.isPage(request) ? FormPage.document(.serviceUnavailable, title: title, text) : problem(context)
        response.headers[.retryAfter] = "10"
        return request.method == .head ? response.createHeadResponse() : response
    }

    private static func isPage(_ request: Request) -> Bool {
        request.headers[.accept]?.lowercased().contains("text/html") == true
    }

    private func problem(_ context: WebContext) throws -> Response {
        var response = try context.answer(details, status: .serviceUnavailable)
        response.headers[.contentType] = "application/problem+json"
        return response
    }

    private var details: ProblemDetails {
        switch reason {
        case .disk:
            ProblemDetails(
                .serviceUnavailable, "not-mounted", "The disk with the photos is not there.",
                "Nothing is lost. Safelight goes on by itself once the disk is connected and mounted.")
        case .standBy:
            ProblemDetails(
                .serviceUnavailable, "stand-by", "Another computer has the photos.",
                "This one only goes on in its place should that one end. Use Safelight there.")
        case .inUse:
            ProblemDetails(
                .serviceUnavailable, "in-use", "Somebody is working on the photos at the computer.",
                "Nothing is lost. Safelight goes on by itself once that is done.")
        case .bucket:
            ProblemDetails(
                .serviceUnavailable, "bucket-unreachable", "The store that the photos go along to does not answer.",
                "Nothing is lost. Safelight goes on by itself once it answers again.")
        case .fullDisk:
            ProblemDetails(
                .serviceUnavailable, "disk-full", "The disk with the photos is full.",
                "Safelight goes on by itself once there is room on it.")
        case .failingDisk:
            ProblemDetails(
                .serviceUnavailable, "degraded", "The computer cannot work with the disk of the photos right now.",
                "Safelight tries again by itself. Whoever looks after it finds the reason in its log.")
        }
    }

    private var title: String {
        switch reason {
        case .disk: "The disk with the photos is not there"
        case .standBy: "Another computer has the photos"
        case .inUse: "Somebody is working on the photos"
        case .bucket: "The store of the photos does not answer"
        case .fullDisk: "The disk with the photos is full"
        case .failingDisk: "The disk with the photos does not work right now"
        }
    }

    private var text: String {
        switch reason {
        case .disk:
            """
            <p>Nothing is lost. Safelight goes on by itself once the disk is connected to its computer again; then load this \
            page once more.</p>
            <section lang="zh-Hans"><h2>存放照片的硬盘不在</h2>
            <p>什么都没有丢失。硬盘重新接到电脑上以后，Safelight 会自动继续；那时请重新加载此页。</p></section>
            <section lang="zh-Hant"><h2>存放照片的硬碟不在</h2>
            <p>什麼都沒有遺失。硬碟重新接到電腦上以後，Safelight 會自動繼續；那時請重新載入此頁。</p></section>
            """
        case .standBy:
            """
            <p>Use Safelight there. This computer only goes on in its place should that one end; then load this page once \
            more.</p>
            <section lang="zh-Hans"><h2>照片在另一台电脑上</h2>
            <p>请在那台电脑上使用 Safelight。只有那台停下来，这台才会接着工作；那时请重新加载此页。</p></section>
            <section lang="zh-Hant"><h2>照片在另一台電腦上</h2>
            <p>請在那台電腦上使用 Safelight。只有那台停下來，這台才會接著工作；那時請重新載入此頁。</p></section>
            """
        case .inUse:
            """
            <p>Nothing is lost. A command is at work on the photos, at the computer itself. Safelight goes on by itself once \
            that has ended; then load this page once more.</p>
            <section lang="zh-Hans"><h2>有人正在处理照片</h2>
            <p>什么都没有丢失。电脑上有一个命令正在处理照片。它结束以后，Safelight 会自动继续；那时请重新加载此页。</p></section>
            <section lang="zh-Hant"><h2>有人正在處理照片</h2>
            <p>什麼都沒有遺失。電腦上有一個命令正在處理照片。它結束以後，Safelight 會自動繼續；那時請重新載入此頁。</p></section>
            """
        case .bucket:
            """
            <p>Nothing is lost. Safelight goes on by itself once the store answers again; then load this page once more. Whoever \
            looks after it finds the reason in its log.</p>
            <section lang="zh-Hans"><h2>照片的存储服务没有回应</h2>
            <p>什么都没有丢失。存储服务恢复以后，Safelight 会自动继续；那时请重新加载此页。原因记录在它的日志里。</p></section>
            <section lang="zh-Hant"><h2>照片的儲存服務沒有回應</h2>
            <p>什麼都沒有遺失。儲存服務恢復以後，Safelight 會自動繼續；那時請重新載入此頁。原因記錄在它的日誌裡。</p></section>
            """
        case .fullDisk:
            """
            <p>Safelight needs some room on it to begin. Whoever looks after its computer makes room there; Safelight then goes \
            on by itself, and this page can be loaded once more.</p>
            <section lang="zh-Hans"><h2>存放照片的硬盘满了</h2>
            <p>Safelight 启动时需要一点空间。请管理这台电脑的人在硬盘上腾出空间；之后 Safelight 会自动继续，那时请重新加载此页。</p></section>
            <section lang="zh-Hant"><h2>存放照片的硬碟滿了</h2>
            <p>Safelight 啟動時需要一點空間。請管理這台電腦的人在硬碟上騰出空間；之後 Safelight 會自動繼續，那時請重新載入此頁。</p></section>
            """
        case .failingDisk:
            """
            <p>Safelight tries again by itself; then load this page once more. Whoever looks after its computer finds the reason \
            in its log.</p>
            <section lang="zh-Hans"><h2>存放照片的硬盘暂时无法使用</h2>
            <p>Safelight 会自动重试；之后请重新加载此页。原因记录在它的日志里，请管理这台电脑的人查看。</p></section>
            <section lang="zh-Hant"><h2>存放照片的硬碟暫時無法使用</h2>
            <p>Safelight 會自動重試；之後請重新載入此頁。原因記錄在它的日誌裡，請管理這台電腦的人查看。</p></section>
            """
        }
    }
}
