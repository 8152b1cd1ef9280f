import Hummingbird
import Logging
import NIOHTTP1

/// Turns every error into its answer, and puts on every answer, those included, what all have.
struct AnswerMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let began = ContinuousClock.now
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as HTTPParserError {
            // The connection is out of step; Hummingbird answers 400 and closes it.
            throw error
        } catch {
            response = try ErrorAnswer.response(to: error, context)
            // A body behind the answer to HEAD would be taken for the beginning of the next answer.
            if request.method == .head { response = response.createHeadResponse() }
        }
        BasicChallenge.add(to: &response, for: request)
        TusProtocol.addVersion(to: &response, for: request)
        SecurityFields.add(to: &response)
        note(request, response, began, context)
        return response
    }

    /// For debugging, and without anything that is somebody's: the route is a pattern, and what it stands for is not said.
    private func note(
        _ request: Request, _ response: Response, _ began: ContinuousClock.Instant, _ context: WebContext
    ) {
        guard context.logger.logLevel <= .debug else { return }
        context.logger.debug(
            "A request was answered",
            metadata: [
                "method": "\(RouteTable.methods.contains(request.method) ? request.method.rawValue : "another")",
                "route": "\(context.endpointPath ?? "none")", "status": "\(response.status.code)",
                "ms": "\(Int((ContinuousClock.now - began) / .milliseconds(1)))",
            ])
    }
}
