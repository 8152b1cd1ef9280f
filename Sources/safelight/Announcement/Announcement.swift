import Discovery
import Listener
import NIOCore
import Printing
import Synchronization

/// Tells the person at the terminal, or the log, how to reach the page, once all endpoints are listened on.
final class Announcement: Sendable {
    private let endpoints: [Endpoint]
    private let finding: HostFinding
    private let text: @Sendable (_ pageURLs: [String]) -> PrintableText
    private let bound = Mutex<[Int: SocketAddress?]>([:])

    /// - Parameters:
    ///   - endpoints: all that are going to be listened on
    ///   - text: what is announced, from the page's URLs for this host itself
    init(endpoints: [Endpoint], finding: HostFinding, text: @escaping @Sendable (_ pageURLs: [String]) -> PrintableText)
    {
        self.endpoints = endpoints
        self.finding = finding
        self.text = text
    }

    /// - Parameter index: of the endpoint
    /// - Returns: whether it was the last of them
    func isListening(_ index: Int, at address: SocketAddress?) -> Bool {
        let complete = bound.withLock { bound -> [Int: SocketAddress?]? in
            bound[index] = .some(address)
            return bound.count == endpoints.count ? bound : nil
        }
        guard let complete else { return false }
        announce(endpoints.indices.map { complete[$0] ?? nil })
        return true
    }

    private func announce(_ bound: [SocketAddress?]) {
        finding.ports = bound.compactMap { $0.flatMap(OpenPort.init) }
        let urls = zip(endpoints, bound).map(Self.pageURL)
        // A person opens a URL sooner than a socket file.
        Terminal.print(text(urls.filter { $0.hasPrefix("http") } + urls.filter { !$0.hasPrefix("http") }))
    }

    /// As this host itself opens it.
    private static func pageURL(_ endpoint: Endpoint, _ bound: SocketAddress?) -> String {
        guard let bound else { return "\(endpoint)" }
        guard let host = bound.ipAddress, let port = bound.port else { return "unix:\(bound.pathname ?? "")" }
        let reachable = host == "0.0.0.0" || host == "::" ? "127.0.0.1" : host
        return "http://\(reachable.contains(":") ? "[\(reachable)]" : reachable):\(port)/"
    }
}
