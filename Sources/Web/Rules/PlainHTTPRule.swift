package import HTTPTypes
import Hummingbird

/// What a request that another device sends unencrypted may get: the page that leads to the secure address and what that
/// page needs, the certificate, the health. Anybody on the way reads such a request and can change the answer.
package struct PlainHTTPRule: Sendable {
    package enum Decision: Equatable, Sendable {
        /// The landing page, in place of the page that is asked for.
        case landing
        /// Answered as over TLS.
        case serve
        /// Answered if the door wants it, which only the door's code or cookie tells.
        case visit
        /// 308 to this address, which is the same one with `https`.
        case redirect(String)
        /// 426.
        case refuse
    }

    private let open: Set<String>

    /// - Parameters:
    ///   - open: paths that are served as they are, besides those of pages that the landing page stands for
    ///   - openAtDoors: what the page of a door needs beside its own address
    package init(open: Set<String>, openAtDoors: Set<String>) {
        self.open = open.union(openAtDoors)
    }

    /// - Parameters:
    ///   - target: path and query as they were sent
    ///   - host: the value of `Host`, which was found to be one of ours
    ///   - hasCredentials: whether `Authorization` came along, whatever it holds
    package func decision(
        method: HTTPRequest.Method, target: String, host: String, hasCredentials: Bool
    ) -> Decision {
        guard target.hasPrefix("/"), !hasCredentials else { return .refuse }
        let path = String(target.prefix { $0 != "?" && $0 != "#" })
        if path.hasPrefix("\(GiveAddresses.base)/") { return .visit }
        guard method == .get || method == .head else { return .refuse }
        if target == "/give/?\(GiveAddresses.unencrypted)" { return .serve }
        if ["/", "/give/", "/see/"].contains(path) { return .landing }
        if open.contains(path) { return .serve }
        // Programs ask there, and have to be told; a redirect would hide from them what they sent in the clear.
        let isInterface = ["/api", GiveAddresses.base, SeeAddresses.base].contains {
            path == $0 || path.hasPrefix("\($0)/")
        }
        if isInterface || WebDAVMethods.isInTree(path) { return .refuse }
        return .redirect("https://\(host)\(target)")
    }
}

/// Where those come who give through a door: what they may do is what is registered below this address.
enum GiveAddresses {
    static let base = "/give/api"
    /// What stands behind `?` in the address of a door that takes what comes unencrypted.
    static let unencrypted = "plain"
}

/// Where those come who look through a window.
enum SeeAddresses {
    static let base = "/see/api"
}

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
