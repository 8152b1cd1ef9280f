/// An address and a port to listen on: "127.0.0.1:8080", "[::]:8080", "host.local:8080".
struct ListenAddress: Sendable {
    let host: String
    let port: Int

    /// - Throws: `SettingsError`.
    init(_ text: String) throws {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else {
            throw SettingsError(key: .listen, problem: "must be ADDRESS:PORT, not \"\(text)\"")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty else { throw SettingsError(key: .listen, problem: "must be ADDRESS:PORT, not \"\(text)\"") }
        self.host = host
        self.port = port
    }

    /// All addresses of the host.
    var isWildcard: Bool { host == "0.0.0.0" || host == "::" }
}
