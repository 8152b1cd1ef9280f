import Bytes
import Hummingbird
import Records
import Vaults

/// Which of some files need not be sent, since the vault has their content.
struct UploadCheckRoutes {
    /// 200 questions of about 220 bytes each, with room for white space, and for paths of the usual length.
    private static let bodyByteCount = 256 * 1024

    let access: Access
    var base = "/api"

    func add(to routes: RouteTable) {
        routes.on(.post, "\(base)/uploads/check") { request, context in
            let session = try await access.sendingSession(of: request, context)
            let questions = try await request.decodeJSON(
                [ContentQuestionPayload].self, limit: Self.bodyByteCount, context)
            guard questions.count <= Session.Uploads.mostContentQuestions else {
                throw WebError.malformedJSON("it asks more than \(Session.Uploads.mostContentQuestions) questions")
            }
            let answers = try await session.uploads.answers(
                to: questions.map(\.question), at: questions.map(\.path))
            return try Response(from: context.allowance, status: .ok, json: answers.map(\.rawValue))
        }
    }
}

/// One of `{size, sha256}`, `{size, tree}` and `{size, first, last}`; digests are hexadecimal SHA-256. With `path`, where the
/// file lies, for what lies beside it.
struct ContentQuestionPayload: Decodable {
    private enum Key: String, CodingKey { case size, sha256, tree, first, last, path }

    let question: ContentQuestion
    let path: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let size = try container.decode(UInt64.self, forKey: .size)
        path = try container.decodeIfPresent(String.self, forKey: .path)
        let kinds = [Key.sha256, .tree, .first].filter(container.contains)
        guard kinds.count == 1, container.contains(.first) == container.contains(.last) else {
            throw WebError.malformedJSON("a question names sha256, or tree, or first and last")
        }
        switch kinds[0] {
        case .sha256: question = .whole(byteCount: size, sha256: try Self.digest(container, .sha256))
        case .tree: question = .tree(byteCount: size, digest: try Self.digest(container, .tree))
        default:
            question = .ends(
                byteCount: size, first: try Self.digest(container, .first), last: try Self.digest(container, .last))
        }
    }

    private static func digest(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> [UInt8] {
        guard let digest = Hexadecimal.decode(try container.decode(String.self, forKey: key)), digest.count == 32 else {
            throw WebError.malformedJSON("\(key.rawValue) is not 64 hexadecimal digits")
        }
        return digest
    }
}
