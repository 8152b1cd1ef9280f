import HTTPTypes
import Hummingbird

/// The path below which a proxy shows the page, such as `/photos`; empty where the page has its name for itself. A
/// request may come with it or without, as the proxy hands it on.
package struct PageBase: Sendable, Equatable {
    /// The base of the request that is being answered: what answers name begins with it. A body that is made while it is
    /// sent has to take it along.
    @TaskLocal static var current = ""

    let path: String

    package static let none = PageBase(path: "")

    private init(path: String) { self.path = path }

    /// Nil for what is no such path.
    package init?(_ text: String) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let path = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard text.hasPrefix("/"), text != "/", text.utf8.count <= 100,
            names.dropLast(text.hasSuffix("/") ? 1 : 0).allSatisfy(Self.isName),
            names.first.map(Self.taken.contains) != true
        else { return nil }
        self.path = path
    }

    /// What stands at the root already, and would no longer be found.
    private static let taken: Set<Substring> = [
        "api", "dav", "give", "health", "metrics", "share", "js", "css", "i18n", "icons",
    ]

    private static func isName(_ name: Substring) -> Bool {
        !name.isEmpty && name != "." && name != ".."
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.~".contains($0)) }
    }

    /// The request as it would have come without a proxy.
    func stripped(_ request: Request) -> Request {
        guard !path.isEmpty, let target = request.head.path, target.hasPrefix(path) else { return request }
        let rest = target.dropFirst(path.count)
        guard rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?") else { return request }
        var head = request.head
        head.path = rest.hasPrefix("/") ? String(rest) : "/" + rest
        return Request(head: head, body: request.body)
    }

    /// Who leaves out the last slash: what the page names by relative addresses would lie beside it.
    func redirection(of request: Request) -> Response? {
        guard !path.isEmpty, request.uri.path == path, [.get, .head].contains(request.method) else { return nil }
        return Response(status: .permanentRedirect, headers: [.location: path + "/"])
    }

    /// The text of one of the page's files, in which everything between quotation marks that begins at the root begins at
    /// this path instead.
    /// - Parameter namesRoot: whether the root itself is an address there; in a script it is a slash.
    func moved(_ text: String, namesRoot: Bool) -> String {
        guard !path.isEmpty else { return text }
        var moved = ""
        var rest = Substring(text)
        while let quote = rest.firstIndex(where: { $0 == "\"" || $0 == "'" || $0 == "`" }) {
            let start = rest.index(after: quote)
            moved += rest[..<start]
            rest = rest[start...]
            guard rest.first == "/", let next = rest.dropFirst().first else { continue }
            if (next.isASCII && next.isLowercase) || (namesRoot && next == text[quote]) { moved += path }
        }
        return moved + rest
    }
}
