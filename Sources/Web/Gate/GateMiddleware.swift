import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Synchronization

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

/// Tells the owner by which names people ask for this host in vain: each name once, and few of them, for anybody may make
/// some up.
final class UnknownNames: Sendable {
    private static let most = 16
    private static let longest = 100
    private let logger: Logger
    private let known = Mutex<Set<String>>([])

    init(logger: Logger) { self.logger = logger }

    func note(_ host: String?) {
        guard let host, (1...Self.longest).contains(host.utf8.count), host.utf8.allSatisfy(Self.isOfName) else {
            return
        }
        let name = host.lowercased()
        let isNew = known.withLock { $0.count < Self.most && $0.insert(name).inserted }
        guard isNew else { return }
        logger.notice(
            "somebody asks for this host by a name that it does not know; hosts in the configuration adds it",
            metadata: ["name": "\(name)"])
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: ".-_:[]".utf8.contains(byte)
        }
    }
}

/// Asks those for a password by `Authorization: Basic` who send none before they are asked, or have sent a wrong one:
/// wget, curl --anyauth, .NET (RFC 9110, 15.5.2).
///
/// Never a page: a browser would answer with a dialog of its own over ours, and go on sending the password that was
/// typed there after the vault was locked.
enum BasicChallenge {
    static let field = "Basic realm=\"Safelight\", charset=\"UTF-8\""

    static func add(to response: inout Response, for request: Request) {
        guard response.status == .unauthorized, !isFromPage(request.headers),
            response.headers[.contentType]?.hasPrefix("text/html") != true
        else { return }
        response.headers[.wwwAuthenticate] = field
    }

    /// Browsers name themselves "Mozilla/" and so do PowerShell and some programs in .NET. To plain HTTP on another host
    /// browsers send no `Sec-Fetch` fields, but every one of them says of every request what languages are wanted, or
    /// which page it comes from; the programs do neither.
    static func isFromPage(_ fields: HTTPFields) -> Bool {
        if fields.contains(where: { $0.name.canonicalName.hasPrefix("sec-fetch-") }) { return true }
        guard let agent = fields[.userAgent], agent.hasPrefix("Mozilla/"), !agent.contains("PowerShell/") else {
            return false
        }
        return signsOfPages.contains(where: fields.contains)
    }

    private static let signsOfPages: [HTTPField.Name] = [
        .acceptLanguage, .origin, .referer, .cookie, .upgradeInsecureRequests,
    ]
}

extension CrossSiteProof {
    /// Refuses requests that a page of another site may have caused, and bodies that are not what they seem.
    static func check(_ request: Request, _ context: WebContext) throws {
        switch CrossSiteProof(request, context).verdict {
        case .allowed: break
        case .crossSite: throw WebError.crossSite
        case .simpleContentType: throw WebError.unsupportedMediaType
        }
        if let encoding = request.field(.contentEncoding), encoding.lowercased() != "identity" {
            throw WebError.unsupportedContentEncoding
        }
    }

    private static let safeMethods: [HTTPRequest.Method] = [.get, .head, .options]

    private init(_ request: Request, _ context: WebContext) {
        self.init(
            isSafeMethod: Self.safeMethods.contains(request.method), fetchSite: request.field(.secFetchSite),
            origin: request.field(.origin), host: request.head.authority, isSecure: context.isSecure,
            hasCookie: request.headers.contains(.cookie), contentType: request.field(.contentType),
            hasBody: request.hasBody)
    }
}
