package import HTTPTypes

/// An answer to a request that failed, as `application/problem+json` (RFC 9457).
package struct ProblemDetails: Equatable, Sendable, Encodable {
    /// `about:blank` but for kinds that are registered with IANA, which clients may know.
    package var type = "about:blank"
    package let status: HTTPResponse.Status
    /// Stable, in kebab-case; what programs look at.
    package let code: String
    /// What happened.
    package let title: String
    /// Whether anything is lost, and what to do.
    package let detail: String
    /// Whole seconds after which another try makes sense; sent as `Retry-After`.
    package var retryAfter: Int?
    /// The id of the album that has the name already.
    package var album: String?
    /// The name of the door that is not open.
    package var door: String?
    /// What there was too much of, where it is not guesses.
    package var limit: String?

    package init(
        _ status: HTTPResponse.Status, _ code: String, _ title: String, _ detail: String, retryAfter: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// This one as a kind of IANA's registry of problem types.
    func registered(as name: String) -> Self {
        var problem = self
        problem.type = "https://iana.org/assignments/http-problem-types#\(name)"
        return problem
    }

    private enum Key: String, CodingKey { case type, title, status, code, detail, album, door, limit }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        try container.encode(title, forKey: .title)
        try container.encode(status.code, forKey: .status)
        try container.encode(code, forKey: .code)
        try container.encode(detail, forKey: .detail)
        try container.encodeIfPresent(album, forKey: .album)
        try container.encodeIfPresent(door, forKey: .door)
        try container.encodeIfPresent(limit, forKey: .limit)
    }
}
