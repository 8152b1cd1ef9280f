import Hummingbird

/// What a request has to pass before it comes to the routes, in this order; and the page's files, which need no route.
/// One middleware for all, for each costs every request as much as several of these rules.
struct GateMiddleware: RouterMiddleware {
    let hosts: HostGate
    /// Where unencrypted requests are kept away.
    let plainHTTP: PlainHTTPGate?
    let files: StaticFiles

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var (request, context) = (request, context)
        try request.requireComparableFields()
        do {
            try await hosts.check(request, context)
        } catch WebError.wrongHost {
            guard let page = WrongHostPage.answer(to: request) else { throw WebError.wrongHost }
            return page
        }
        if let answer = try plainHTTP?.answer(&request, &context) { return answer }
        try Expectation.meet(&request, context)
        try CrossSiteProof.check(request, context)
        if !WebDAVMethods.askAbove(request), let file = files[request.uri.path] { return try file.answer(request) }
        return try await next(request, context)
    }
}
