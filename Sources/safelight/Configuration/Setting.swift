import Bytes
import Configuration
import FoundationEssentials
import Listener
import Web
import Yams

/// Every configuration key. A key is read from the command line where it has a flag, else from the environment
/// (SAFELIGHT_ and the key in capitals, dots as underscores), else from the configuration file.
enum Setting: String, CaseIterable {
    case data
    case listen
    case www
    case base
    case hosts
    case proxies
    case registration
    case guests
    case contact
    case pepperFile = "pepper.file"
    case transportHTTP = "transport.http"
    case tlsCertificate = "tls.certificate"
    case tlsKey = "tls.key"
    case limitFile = "limits.file"
    case limitUploads = "limits.uploads"
    case limitVaultShare = "limits.vault.share"
    case limitNewVaults = "limits.newvaults"
    case limitGuest = "limits.guest"
    case limitGuests = "limits.guests"
    case limitNewGuests = "limits.newguests"
    case idleLock = "limits.idle"
    case absoluteLock = "limits.session"
    case trashDays = "limits.trash"
    case limitConnections = "limits.connections"
    case limitDeviceConnections = "limits.connections.device"
    case limitAddressConnections = "limits.connections.address"
    case limitRate = "limits.rate"
    case limitHeader = "limits.header"
    case reserve = "limits.reserve"
    case cover
    case coverIdle = "cover.idle"
    case backupAge = "backup.age"
    case objects
    case objectsEndpoint = "objects.endpoint"
    case objectsRegion = "objects.region"
    case objectsAuthority = "objects.authority"
    case objectsCache = "objects.cache"
    case objectsTakeover = "objects.takeover"
    case metricsListen = "metrics.listen"
    case logLevel = "log.level"
    case imagingExecutable = "imaging.executable"
    case imagingVideoExecutable = "imaging.video-executable"
    case imagingWorkers = "imaging.workers"
    case imagingWords = "imaging.words"
    case upgradeFeed = "upgrade.feed"
    case upgradeKey = "upgrade.key"
    case upgradeAuthority = "upgrade.authority"
    case unsafeKDFMemory = "unsafe.kdf.memory"
    case unsafeKDFIterations = "unsafe.kdf.iterations"
    case unsafeCover = "unsafe.cover"

    /// Meaning, unit and default, as `--help` shows them.
    var explanation: String {
        switch self {
        case .data: "data directory; made, with mode 0700, where there is none. Required"
        case .listen: "ADDRESS:PORT or unix:/PATH, separated by commas. Default 127.0.0.1:8080"
        case .www: "folder of the page. Default: beside the installation, else in the checkout"
        case .base:
            "path below which a proxy shows the page, such as /photos. Default: none, the page has its name for itself"
        case .hosts: "further names and addresses under which the page may be asked for, separated by commas"
        case .proxies:
            "reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are believed: addresses, networks, or unix, separated by commas. Default: none"
        case .registration:
            "who may create a vault: code (from other devices with the setup code), open, local. Default code"
        case .guests: "whether photos can be added without a password: on or off. Default on"
        case .contact:
            "whom people ask or tell what they think of it, shown in the page's settings: an e-mail address or a few words. Default: nobody"
        case .limitGuest: "MiB that one guest may have. Default 2048"
        case .limitGuests: "MiB that all guests together may have. Default 5120"
        case .limitNewGuests: "new guests in a day. Default 500"
        case .pepperFile:
            "file of 32 secret bytes that every password is mixed with; needed for ever once the store was made with it. Default: the credential safelight.pepper that systemd hands over, if any"
        case .transportHTTP:
            "plain HTTP from other devices: landing (one page that leads to HTTPS) or allow (everything; the page warns). Default landing"
        case .tlsCertificate:
            "file of your own certificate and those above it (PEM); read again on SIGHUP. Default: the credential safelight.tls-certificate, else the host makes its own"
        case .tlsKey: "file of the key of tls.certificate (PEM). Default: the credential safelight.tls-key"
        case .limitFile: "largest file in MiB. Default 65536"
        case .limitUploads: "uploads at the same time. Default 256"
        case .limitVaultShare: "part of the disk that one vault may use, in percent. Default 80"
        case .limitNewVaults:
            "new vaults at once; a 64th of it comes back in a day. Of each vault a quarter as many ways are changed at once. Default 16"
        case .cover:
            "MiB that sealed files of the daemon's own may take, which no password opens; 0: none. Default: a hundredth of the disk, at most 2048"
        case .coverIdle:
            "whether such files also come while nobody is there, about once a day: on or off. A disk is woken for it. Preview: may change before 1.0. Default off"
        case .idleLock: "minutes without use after which a session locks. Default 15"
        case .absoluteLock: "hours after which a session locks in any case. Default 12"
        case .trashDays: "days that a deleted photo can be restored. Default 30"
        case .limitConnections:
            "connections from other devices at the same time, a quarter of them for open vaults; where no more are free, the longest idle one ends of whoever has most. Default 512"
        case .limitDeviceConnections:
            "of these from one device of the home network, by however many addresses. Default 64"
        case .limitAddressConnections: "of these from one address. Default 32"
        case .limitRate: "KiB in a second below which a sender or receiver is disconnected after a while. Default 8"
        case .limitHeader: "seconds until the header of a request must be complete. Default 10"
        case .reserve: "MiB of disk kept free for deleting and unlocking on a full disk. Default 64"
        case .backupAge:
            "days after which health warns that the last backup is old, or that there is none; 0 for never. Default 7, once there was one"
        case .objects:
            "s3://BUCKET/PREFIX of an object store that every photo and the ledger go along to before anything counts as saved. Another host can take over from there (safelight take-over). Preview: may change before 1.0. Default: none"
        case .objectsEndpoint:
            "https://HOST[:PORT] of that store. Default: AWS_ENDPOINT_URL_S3, else Amazon's"
        case .objectsRegion: "its region. Default: AWS_REGION, else us-east-1"
        case .objectsAuthority:
            "file of the certificate authorities (PEM) that it is believed by. Default: the system's"
        case .objectsCache:
            "MiB of photos and videos that are kept on this disk besides; what was used longest ago goes first. Default: all that there is room for"
        case .objectsTakeover:
            "seconds without a sign of life of the host that writes there, after which one that stands by (serve --stand-by) takes over; the same on both. Default: only by command"
        case .metricsListen:
            "127.0.0.1:PORT, [::1]:PORT or unix:/PATH on which /metrics is served, for Prometheus. Default: only the socket in the data directory"
        case .logLevel:
            "the least that is logged: debug (a line for each request, without names, sizes and addresses), info, notice, warning or error. Default info"
        case .imagingExecutable:
            "program that makes pictures of photos. Default: safelight-imaging beside this program"
        case .imagingVideoExecutable:
            "program that makes pictures of videos. Default: safelight-imaging-video beside this program"
        case .imagingWorkers:
            "photos that are looked into at the same time; 0 turns it off. Default: one for each processor but one, each with 2 GiB of available memory"
        case .imagingWords:
            "off: nobody looks for words in pictures, by which searches find screenshots and receipts. Default: on where the host has 2 GB of memory and Tesseract is installed"
        case .upgradeFeed:
            "https address of a release feed, asked once a day, so that the page can tell of a new version. Default: none is asked"
        case .upgradeKey: "Ed25519 public key (base64) that the feed must be signed with"
        case .upgradeAuthority:
            "file of the certificate authorities (PEM) that the feed's host is believed by. Default: the system's"
        case .unsafeKDFMemory: "FOR TESTS ONLY: memory of a password guess in KiB, far below what is safe"
        case .unsafeKDFIterations: "FOR TESTS ONLY: passes of a password guess. Default 1 where the memory is given"
        case .unsafeCover: "FOR TESTS ONLY: off makes a new store soon, which hides little of how many vaults it has"
        }
    }

    var isList: Bool { [.listen, .hosts, .proxies].contains(self) }

    /// "limits.file" → ["limits", "file"].
    var keyComponents: [String] { rawValue.split(separator: ".").map(String.init) }

    static let help =
        "Configuration keys (file: YAML; environment: SAFELIGHT_ and the key in capitals, dots as underscores):\n\n"
        + allCases.map { "  \($0.rawValue): \($0.explanation)." }.joined(separator: "\n")
}

/// Reads keys with their types.
struct SettingReader {
    private let reader: ConfigReader

    init(_ reader: ConfigReader) { self.reader = reader }

    func text(_ setting: Setting) -> String? { reader.string(forKey: key(setting)) }

    /// A list, or one text with commas.
    func list(_ setting: Setting) -> [String]? {
        if let list = reader.stringArray(forKey: key(setting)) { return list }
        return text(setting)?.split(separator: ",").map { String($0.trimmingPrefix(while: \.isWhitespace)) }
    }

    /// - Throws: `SettingsError` for what is neither on nor off.
    func isOn(_ setting: Setting) throws -> Bool? {
        switch text(setting) {
        case "on", "true": return true
        case "off", "false": return false
        case nil:
            // YAML takes the bare words for a truth value.
            return reader.bool(forKey: key(setting))
        default: throw SettingsError(key: setting, problem: "must be on or off")
        }
    }

    /// - Throws: `SettingsError` for what is not a whole number in the range.
    func number(_ setting: Setting, in range: ClosedRange<Int>) throws -> Int? {
        if let number = reader.int(forKey: key(setting)) {
            guard range.contains(number) else {
                throw SettingsError(
                    key: setting, problem: "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        guard text(setting) == nil else { throw SettingsError(key: setting, problem: "must be a whole number") }
        return nil
    }

    private func key(_ setting: Setting) -> ConfigKey { ConfigKey(setting.keyComponents) }
}

struct SettingsError: Error, CustomStringConvertible {
    /// The daemon itself took from folders once.
    static let ofWatchedFolders = SettingsError(
        description: "Configuration key \"inbox\" is no more, and nothing is taken from its folders: "
            + "safelight-inbox@.timer does that now. \"Watched folders\" in operations.md has the lines to copy; then "
            + "remove the key.")

    let description: String

    private init(description: String) { self.description = description }

    init(key: Setting, problem: String) {
        description = "Configuration key \"\(key.rawValue)\" \(problem)."
    }

    init(unknown name: String, nearest: Setting?) {
        let suggestion = nearest.map { "; did you mean \"\($0.rawValue)\"?" } ?? "."
        description = "Configuration key \"\(name)\" is not known\(suggestion)"
    }
}

/// The keys that a configuration file names, looked at before their values: a misspelled key must not pass for one that
/// was left out.
enum ConfigurationFile {
    /// Does nothing where there is no such file.
    /// - Throws: `SettingsError` for a key that is unknown, or whose value has not its shape.
    static func check(_ path: String) throws {
        guard let content = FileManager.default.contents(atPath: path) else { return }
        try check(text: String(decoding: content, as: UTF8.self))
    }

    static func check(text: String) throws {
        guard let root = try? Yams.compose(yaml: text) else { return }  // what is no YAML is named by its reader
        try check(root, [])
    }

    private static func check(_ node: Node, _ path: [String]) throws {
        if path == ["inbox"] { throw SettingsError.ofWatchedFolders }
        if let mapping = node.mapping {
            for (key, value) in mapping { try check(value, path + [key.string ?? ""]) }
            return
        }
        let name = path.joined(separator: ".")
        // "limits:" with all its lines commented out.
        if node.null != nil, Setting.allCases.contains(where: { $0.rawValue.hasPrefix(name) }) { return }
        guard let setting = Setting(rawValue: name) else {
            throw SettingsError(unknown: name, nearest: nearest(to: name))
        }
        guard node.sequence == nil || setting.isList else { throw SettingsError(key: setting, problem: "is no list") }
    }

    /// The key that was probably meant.
    private static func nearest(to name: String) -> Setting? {
        let distances = Setting.allCases.map { ($0, distance(name, $0.rawValue)) }
        return distances.filter { $0.1 <= 3 }.min { $0.1 < $1.1 }?.0
    }

    /// How many letters must be put in, taken out or changed (Levenshtein).
    private static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let cost = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(cost, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}

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
