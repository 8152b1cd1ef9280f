import Certificates
import Discovery
import Glibc
import Listener
import NIOCore
import Printing
import Synchronization
import Unlocking

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

/// What is said once the daemon is ready: all that a person needs to get a phone in, and no more.
struct AnnouncementText {
    /// Addresses by which this host itself opens the page; the first one leads.
    var pageURLs: [String]
    /// Addresses by which other devices open it, the best first.
    var addresses: [String]
    /// The port that other devices connect to; nil where none can.
    var port: Int?
    /// Nil where none is asked for.
    var setupCode: SetupCode?
    /// The command that tells it.
    var codeCommand: String
    /// Nil while there is none.
    var certificate: CertificateFacts?
    var isPlainHTTPOpen: Bool
    /// Nil where no firewall is known to be on.
    var firewallHint: String?

    /// For a person in front of it. The picture comes last: a screen of 24 lines shows it whole.
    func forScreen(_ screen: Screen) -> PrintableText {
        let further = pageURLs.dropFirst().filter { !addresses.contains($0) }.map { "                and: \($0)" }
        let picture = picture(screen)
        let blocks = [
            ready + further, invitation(hasPicture: picture != nil), setupCodeLines, fingerprint, warnings,
        ]
        let texts = blocks.filter { !$0.isEmpty }.map { PrintableText(lines: $0.joined(separator: "\n")) }
        return (texts + [picture.map(PrintableText.init(drawing:))].compactMap(\.self)).joined(separator: "\n\n")
    }

    /// For a log: no picture, no setup code, since others read logs and they are kept, and one line for each thing.
    var forLog: PrintableText {
        let further = pageURLs.dropFirst() + addresses.filter { !pageURLs.contains($0) }
        let lines =
            ready + further.map { "                and: \($0)" } + closed + wayToSetupCode + fingerprintLine + warnings
        return PrintableText(lines: lines.joined(separator: "\n"))
    }

    private var ready: [String] { ["Safelight is ready: \(pageURLs.first ?? "")"] }

    private var setupCodeLines: [String] {
        guard let setupCode else { return [] }
        return [
            "To create a vault from another device, its setup code is \(setupCode.text)",
            "(until \(setupCode.lastDate); safelight code tells the next one).",
        ]
    }

    private var wayToSetupCode: [String] {
        setupCode == nil
            ? [] : ["To create a vault from another device, its setup code is told here by: \(codeCommand)"]
    }

    private func invitation(hasPicture: Bool) -> [String] {
        if !addresses.isEmpty {
            let first =
                hasPicture
                ? "To let in a phone of the same network, scan the picture below with its\ncamera, or open there"
                : "On a phone or computer of the same network, open"
            return [first] + addresses.map { "    \($0)" }
        }
        if port != nil { return ["This host has no address in a network at the moment."] }
        return closed
    }

    /// Said where nothing but this host can connect, unless by a unix socket.
    private var closed: [String] {
        guard addresses.isEmpty, port == nil, pageURLs.contains(where: { $0.hasPrefix("http") }) else { return [] }
        return ["Only this computer can open it. To let phones in, start with --listen [::]:8080"]
    }

    private var warnings: [String] {
        var lines: [String] = []
        if isPlainHTTPOpen {
            lines.append(
                "Plain HTTP is open to other devices (transport.http: allow): whoever shares the network can read what is sent that way."
            )
        }
        return lines + [certificate?.warning, firewallHint].compactMap(\.self)
    }
}

extension CertificateFacts {
    /// Of an authority that may speak for more than this host.
    var warning: String? {
        guard !publicDomains.isEmpty else { return nil }
        return """
            This authority is of an earlier version, and may speak for all that is called
            \(publicDomains.map { "." + $0 }.joined(separator: ", ")) on the Internet. Make a new one:
                safelight certificate --renew-authority
            """
    }
}

// MARK: Fingerprint

extension AnnouncementText {
    private static let noCertificate = "There is no certificate for secure connections yet; the log says why."

    fileprivate var fingerprint: [String] {
        guard let certificate else { return [Self.noCertificate] }
        let explanation =
            switch certificate.kind {
            case .authority:
                "Connections are encrypted. A new device warns once; it has reached this very\nhost if it shows a certificate with this name and SHA-256 fingerprint:\n    \(certificate.name)"
            case .own: "Connections are encrypted with your own certificate, whose fingerprint is"
            }
        return [explanation] + certificate.fingerprint.lines.map { "    \($0)" }
    }

    fileprivate var fingerprintLine: [String] {
        guard let print = certificate?.fingerprint else { return [Self.noCertificate] }
        return ["The fingerprint of this host is \(print.words.joined(separator: " ")) (\(print.hex))"]
    }
}

extension Fingerprint {
    /// The words, and the pairs of digits in two lines.
    var lines: [String] {
        let half = hex.count / 2
        return [words.joined(separator: " "), String(hex.prefix(half)), String(hex.dropFirst(half + 1))]
    }
}

// MARK: Picture

extension AnnouncementText {
    /// A QR code of the best address, if the terminal is wide enough. It carries the setup code where the page looks
    /// for it: in the fragment, which no browser sends.
    fileprivate func picture(_ screen: Screen) -> String? {
        guard let address = addresses.first,
            let code = try? QRCode(address + (setupCode.map { "#code=\($0.text)" } ?? "")),
            code.terminalWidth <= screen.columns
        else { return nil }
        return code.terminal(screen.colours)
    }
}

extension Reachability.Advice {
    /// Nil when nothing is to be said.
    func explanation(port: Int) -> String? {
        switch self {
        case .none: nil
        case .firewallLikely(let program, let command):
            "A firewall (\(program)) is on here. If a device cannot connect, this lets it in: \(command)"
        case .isolationLikely:
            "None has been seen on this network either: it has to be in the same Wi-Fi or network as this host, not in a guest Wi-Fi, and the router must not keep devices apart (\"client isolation\", \"AP isolation\")."
        case .unknown:
            "If one has tried: it has to be in the same Wi-Fi or network as this host, not in a guest Wi-Fi, and a firewall on this host must let TCP port \(port) in."
        }
    }
}

extension OpenPort {
    /// From the address that a socket is bound to; nil for socket files, which have no port.
    init?(_ bound: SocketAddress) {
        guard let host = bound.ipAddress, let port = bound.port else { return nil }
        switch host {
        case "0.0.0.0": self.init(scope: .everyAddress(withIPv6: false), port: port)
        case "::": self.init(scope: .everyAddress(withIPv6: true), port: port)
        case "::1": self.init(scope: .thisHost, port: port)
        case _ where host.hasPrefix("127."): self.init(scope: .thisHost, port: port)
        default: self.init(scope: .one(host.contains(":") ? "[\(host)]" : host), port: port)
        }
    }
}

/// What the terminal on standard output can show.
struct Screen {
    let columns: Int
    let colours: QRCode.TerminalColours

    /// Nil when standard output is no terminal.
    static func current() -> Screen? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return Screen(columns: isKnown ? Int(size.ws_col) : 80, colours: colours)
    }

    /// https://no-color.org
    private static var colours: QRCode.TerminalColours {
        let terminal = variable("TERM")
        return terminal.isEmpty || terminal == "dumb" || !variable("NO_COLOR").isEmpty ? .own : .fixed
    }

    private static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
}

/// A command of this program as somebody types it on this host.
enum HostCommand {
    private static let systemUsers = 1..<uid_t(1000)
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./")

    /// Blocking.
    static func text(_ command: String, dataPath: String) -> String {
        text(command, dataPath: absolute(dataPath), program: program, user: getuid())
    }

    /// - Parameters:
    ///   - program: the path of this executable.
    ///   - user: who runs the daemon. One of the system reads nobody's files; whoever may become root reads them, and
    ///     reaches the daemon's socket.
    static func text(_ command: String, dataPath: String, program: String, user: uid_t) -> String {
        let name = ["/usr/bin/safelight", "/usr/local/bin/safelight"].contains(program) ? "safelight" : quoted(program)
        return "\(systemUsers.contains(user) ? "sudo " : "")\(name) \(command) --data \(quoted(dataPath))"
    }

    private static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.allSatisfy(plain.contains) { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static func absolute(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static var program: String {
        guard let found = realpath("/proc/self/exe", nil) else { return "safelight" }
        defer { free(found) }
        return String(cString: found)
    }
}
