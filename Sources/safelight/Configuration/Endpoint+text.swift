import Bytes
import Listener
import Web

extension Endpoint {
    /// "127.0.0.1:8080", "[::]:8080", "host.local:8080", "unix:/run/safelight.sock".
    /// - Throws: `SettingsError`.
    init(listen text: String) throws {
        self = try Self.unixEndpoint(text) ?? Self.tcpEndpoint(text)
    }

    /// The same, of this host's loopback only, by number: what a name leads to, others may say.
    /// - Throws: `SettingsError`.
    init(metricsListen text: String) throws {
        switch try? Endpoint(listen: text) {
        case .unix(let path, _): self = .unix(path: path)
        case .tcp(let host, let port) where Self.isLoopback(host): self = .tcp(host: host, port: port)
        default:
            throw SettingsError(
                key: .metricsListen,
                problem: "must be 127.0.0.1:PORT, [::1]:PORT or unix:/PATH; figures are not shown to other hosts")
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        IPAddress(ipv4: host)?.isLoopback ?? (host == "::1")
    }

    private static func unixEndpoint(_ text: String) throws -> Endpoint? {
        guard text.hasPrefix("unix:") else { return nil }
        let path = String(text.dropFirst("unix:".count))
        // sun_path of unix(7) holds 108 bytes, the last one zero.
        guard path.hasPrefix("/"), path.utf8.count < 108, !path.utf8.contains(0) else {
            throw SettingsError(
                key: .listen, problem: "must be unix:/PATH with at most 107 bytes of path, not \"\(text)\"")
        }
        return .unix(path: path)
    }

    private static func tcpEndpoint(_ text: String) throws -> Endpoint {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else { throw malformed(text) }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty else { throw malformed(text) }
        return .tcp(host: host, port: port)
    }

    private static func malformed(_ text: String) -> SettingsError {
        SettingsError(key: .listen, problem: "must be ADDRESS:PORT or unix:/PATH, not \"\(text)\"")
    }
}
