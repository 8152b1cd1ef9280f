import HTTPTypes
import Hummingbird
import NIOCore

/// The photos of one `multipart/form-data` body, one after another, each with its own fate.
///
/// A form without JavaScript carries the field `password` before the files; it then needs no session and its answer is
/// a page.
struct FormUpload {
    let access: Access
    let limits: WebLimits

    func answer(_ request: Request, _ context: WebContext) async throws -> Response {
        let boundary = try MultipartBoundary(contentType: request.headers[.contentType] ?? "")
        var receiver = FormReceiver(
            access: access, request, context, batch: try request.query("batch"), album: try request.query("album"))
        receiver.answersWithPage = request.headers[.accept]?.contains("text/html") ?? false
        do {
            receiver.session = try await access.sendingSessionIfAny(of: request, context)
            try await read(request, boundary, &receiver)
        } catch {
            await receiver.abandon()
            guard receiver.answersWithPage else { throw error }
            let problem = ErrorAnswer.problem(for: error)
            var response = FormPage.problem(problem, saved: receiver.savedCount)
            response.headers[.retryAfter] = problem.retryAfter.map(String.init)
            return response
        }
        let hasFailures = receiver.results.contains { $0.error != nil }
        guard !receiver.answersWithPage else { return try FormPage.results(receiver.results, from: context.allowance) }
        return try context.answer(
            FormResult.Payload(photos: receiver.results), status: hasFailures ? .multiStatus : .created)
    }

    private static func isEndOfConnection(_ error: any Error) -> Bool {
        ErrorAnswer.problem(for: error) == ProblemDetails(WebError.bodyEndedEarly)
    }

    /// - Throws: what keeps the rest from being kept, and `malformedMultipart` for a form without a file.
    func read(
        _ request: Request, _ boundary: MultipartBoundary, _ receiver: inout FormReceiver
    ) async throws {
        receiver.namesArePercentEncoded = request.headers[.userAgent]?.contains("aiohttp/") ?? false
        var parser = MultipartParser(boundary: boundary, limits: limits.multipart, from: receiver.allowance)
        do {
            for try await piece in request.body {
                parser.push(piece)
                while let event = try parser.next() {
                    try await receiver.take(event)
                    if receiver.isStopped { return }
                }
            }
        } catch let error as WebError {
            switch error {
            case .tooManyParts, .tooMuch:
                // The file before the part that is too many has come.
                try await receiver.take(.partEnd)
                try await receiver.finish()
            case .malformedMultipart:
                // So has the file before the part that cannot be read, and the answer says that it stays.
                try await receiver.finish()
            default: break
            }
            throw error
        } catch  where parser.isClosed && Self.isEndOfConnection(error) {
            try await receiver.takeBack()
            throw WebError.formShrank
        }
        try parser.finish()
        try await receiver.finish()
        guard !receiver.results.isEmpty else { throw WebError.malformedMultipart("it holds no file") }
    }
}
