import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Gives a client that waits for leave to send its body (`Expect: 100-continue`) that leave when the body is first read,
/// so that a refusal before that spares it the sending. The listener takes the field away from HTTP/1.0 clients, who
/// would take the 100 for the answer (RFC 9110, 10.1.1).
enum Expectation {
    /// - Throws: `expectationUnknown` for any other.
    static func meet(_ request: inout Request, _ context: WebContext) throws {
        let expectations = request.headers[values: .expect].flatMap { $0.split(separator: ",") }
        guard !expectations.isEmpty else { return }
        guard expectations.allSatisfy({ $0.filter { $0 != " " && $0 != "\t" }.lowercased() == "100-continue" }) else {
            throw WebError.expectationUnknown
        }
        guard request.hasBody else { return }
        request.body = RequestBody(
            asyncSequence: AwaitedBody(body: request.body) { [channel = context.channel] in
                try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
            })
    }
}

/// A body whose client waits for leave to send it.
struct AwaitedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var iterator: RequestBody.AsyncIterator
        fileprivate var giveLeave: (@Sendable () async throws -> Void)?

        mutating func next() async throws -> ByteBuffer? {
            if let giveLeave {
                self.giveLeave = nil
                try await giveLeave()
            }
            return try await iterator.next()
        }
    }

    let body: RequestBody
    /// Called once, before the first piece is waited for.
    let giveLeave: @Sendable () async throws -> Void

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), giveLeave: giveLeave)
    }
}
