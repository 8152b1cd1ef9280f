import HTTPTypes
import Hummingbird
import Records
import Vaults

/// Takes what Android's share sheet hands to the installed page: the form that `share_target` of its manifest describes.
///
/// The system causes this navigation, and no site: browsers say so by `Sec-Fetch-Site: none`, with an `Origin` of `null`,
/// and send along the cookies of this host, although they are `SameSite=Strict`, as to an address that somebody has typed
/// (RFC 6265bis, 5.2.1). A form of another site says `cross-site`, and is refused before it comes here.
struct ShareRoutes {
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/share") { request, context in
            do {
                return try await receive(request, context)
            } catch {
                // Whoever shares looks at a page, whatever the browser asks for.
                let problem = ErrorAnswer.problem(for: error)
                var response = FormPage.problem(problem, saved: 0)
                response.headers[.retryAfter] = problem.retryAfter.map(String.init)
                return response
            }
        }
    }

    /// Where the photos go, and the space that was begun for them.
    private func space(of request: Request, _ context: WebContext) async throws -> (Session, GuestOpening?) {
        if let session = try await access.cookieSession(of: request, context) { return (session, nil) }
        // Where the browser might have a cookie that it did not send, another one would take the place of that, and with
        // it the photos of a guest.
        guard request.field(.secFetchSite) == "none" else { throw WebError.notSignedIn }
        let guest = try await access.service.beginGuest(client: access.client(of: request, context))
        context.allowance.admit(guest.session)
        return (guest.session, guest)
    }

    private func receive(_ request: Request, _ context: WebContext) async throws -> Response {
        try WholeFile.require(request)
        let boundary = try MultipartBoundary(contentType: request.headers[.contentType] ?? "")
        let (session, begun) = try await space(of: request, context)
        var receiver = FormReceiver(
            access: access, request, context, batch: nil, album: nil)
        receiver.session = session
        receiver.takesPassword = false
        var response: Response
        do {
            try await FormUpload(access: access, limits: limits).read(request, boundary, &receiver)
            response = Self.shown(receiver)
        } catch {
            await receiver.abandon()
            guard receiver.savedCount > 0 else {
                // Nobody has been told of a space that nothing came into.
                if let begun { try await access.service.endGuest(begun.session) }
                throw error
            }
            response = FormPage.problem(ErrorAnswer.problem(for: error), saved: receiver.savedCount)
        }
        if let begun { response.setCookie(for: begun, at: context.cookiePlace) }
        return response
    }

    /// The page shows them; how many, and how many not, stands behind the `#`, where no log sees it.
    private static func shown(_ receiver: FormReceiver) -> Response {
        let failed = receiver.results.count - receiver.savedCount
        let words = "shared=\(receiver.savedCount)" + (failed > 0 ? "&failed=\(failed)" : "")
        return Response(status: .seeOther, headers: [.location: "\(PageBase.current)/#\(words)", .contentLength: "0"])
    }
}
