import Hummingbird
import Vaults

/// Which of some files need not be sent, since the vault has their content.
struct UploadCheckRoutes {
    /// 200 questions of about 220 bytes each, with room for white space.
    private static let bodyByteCount = 64 * 1024

    let access: Access

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/uploads/check") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let questions = try await request.decodeJSON(
                [ContentQuestionPayload].self, limit: Self.bodyByteCount, context)
            guard questions.count <= Session.Uploads.mostContentQuestions else {
                throw WebError.malformedJSON("it asks more than \(Session.Uploads.mostContentQuestions) questions")
            }
            let answers = try await session.uploads.answers(to: questions.map(\.question))
            return try Response(status: .ok, json: answers.map(\.rawValue))
        }
    }
}
