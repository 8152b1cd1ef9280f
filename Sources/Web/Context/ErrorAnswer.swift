import Bytes
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Listener
import Logging
import NIOCore
import Records

/// The one place where errors meet HTTP.
enum ErrorAnswer {
    /// The answer to what a route or a rule threw; what is our fault is logged.
    static func response(to error: any Error, _ context: WebContext) throws -> Response {
        let problem = problem(for: error)
        // A method that nobody knows is the client's fault, whatever the number.
        if problem.status.kind == .serverError, problem.status != .notImplemented {
            log(error, problem, to: context.logger)
        }
        // What the request may take may be spent, and that is to be said.
        var response = Response(
            status: problem.status, headers: [.contentType: "application/problem+json"],
            body: ResponseBody(byteBuffer: try ByteBuffer(from: Allowance(.nobody), json: problem)))
        response.headers[.retryAfter] = problem.retryAfter.map(String.init)
        addFields(for: error, to: &response)
        return response
    }

    static func problem(for error: any Error) -> ProblemDetails {
        switch error {
        case let error as WebError: ProblemDetails(error)
        case VaultError.offsetMismatch(let offset):
            ProblemDetails(VaultError.offsetMismatch(offset)).registered(as: "mismatching-upload-offset")
        case VaultError.lengthMismatch:
            ProblemDetails(VaultError.lengthMismatch).registered(as: "inconsistent-upload-length")
        case let error as VaultError: ProblemDetails(error)
        case is Allowance.Spent: ProblemDetails(WebError.tooMuch)
        case ListenerError.bodyEndedEarly: ProblemDetails(WebError.bodyEndedEarly)
        // The client has gone; nobody will read this.
        case is IOError, is ChannelError, is CancellationError: ProblemDetails(WebError.bodyEndedEarly)
        case is DecodingError: ProblemDetails(WebError.malformedJSON("it has another shape than is expected here"))
        case let error as any HTTPResponseError where error.status == .notFound: ProblemDetails(WebError.notFound)
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            ProblemDetails(WebError.malformedRequest("it is not valid HTTP for this address"))
        // Of targets below, where nobody on the way has said it in these terms.
        default: ProblemDetails(VaultError(error))
        }
    }

    private static func addFields(for error: any Error, to response: inout Response) {
        switch error {
        case WebError.methodNotAllowed(let allowed):
            response.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
        case WebError.tlsRequired, WebError.proxyIncomplete, VaultError.doorNeedsEncryption:
            response.headers[.upgrade] = "TLS/1.3"
            response.headers[.connection] = "Upgrade"
        case WebError.rangeNotSatisfiable(let byteCount):
            response.headers[.contentRange] = "bytes */\(byteCount)"
        case VaultError.offsetMismatch(let offset):
            response.headers[.uploadOffset] = "\(offset)"
        case VaultError.fileTooLarge(let limit):
            response.headers[.uploadLimit] = ResumableDraft.limit(mostBytes: limit)
        case WebError.unsupportedTusVersion:
            response.headers[.tusVersion] = TusProtocol.version
        default: break
        }
    }

    /// Names the error's kind alone: what else it holds may be somebody's. What a limit refuses is no fault of the host,
    /// and anybody can cause it.
    private static func log(_ error: any Error, _ problem: ProblemDetails, to logger: Logger) {
        let metadata: Logger.Metadata = ["code": "\(problem.code)", "kind": "\(type(of: error))"]
        switch error {
        case VaultError.busy, VaultError.draining, VaultError.guestFull, VaultError.vaultFull, VaultError.readOnly:
            logger.debug("A request was refused", metadata: metadata)
        case VaultError.diskFull, VaultError.degraded, VaultError.bucketUnreachable, VaultError.takenOver:
            logger.warning("A request was refused", metadata: metadata)
        default: logger.error("A request failed", metadata: metadata)
        }
    }
}
