import HTTPTypes
import Hummingbird

/// Methods that RFC 4918 adds to HTTP.
enum WebDAVMethods {
    static let all: [HTTPRequest.Method] = [.propfind, .proppatch, .mkcol, .move, .copy, .lock, .unlock]

    /// Those in which programs ask the root, which is the page's, for what lies below it.
    static let above: [HTTPRequest.Method] = [.options, .propfind]

    static func isInTree(_ path: some StringProtocol) -> Bool { path == "/dav" || path.hasPrefix("/dav/") }

    static func askAbove(_ request: Request) -> Bool { request.uri.path == "/" && above.contains(request.method) }
}

extension HTTPRequest.Method {
    static let propfind = dav("PROPFIND")
    static let proppatch = dav("PROPPATCH")
    static let mkcol = dav("MKCOL")
    static let move = dav("MOVE")
    static let copy = dav("COPY")
    static let lock = dav("LOCK")
    static let unlock = dav("UNLOCK")

    private static func dav(_ name: String) -> Self {
        guard let method = Self(name) else { preconditionFailure("not a token: \(name)") }
        return method
    }
}
