import Hummingbird
import NIOHTTP1

/// Turns every error into its answer, and puts on every answer, those included, what all have.
struct AnswerMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
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
        return response
    }
}
