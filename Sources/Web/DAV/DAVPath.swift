import Bytes
import Hummingbird
import Records
import Vaults

/// A place in the tree below `/dav/`, by the names on the way to it. Names that differ in their Unicode form alone are one:
/// some clients write another form than they were told.
struct DAVPath: Hashable, Sendable {
    /// Percent-decoded once; never empty, `.` or `..`, and without what no file is called.
    var names: [String]
    /// The last of them as it was sent.
    private(set) var sentName: String?
    /// Whether the address ended with a slash, as those of folders do.
    var hasSlash = false

    static let mostNames = 32
    /// Bytes of all names together, as Linux has it (PATH_MAX): each row of a listing tells them again.
    static let longest = 4096

    static func == (one: DAVPath, other: DAVPath) -> Bool { one.names == other.names }
    func hash(into hasher: inout Hasher) { hasher.combine(names) }

    init(_ names: [String]) { self.names = names }

    /// The path of an address below `/dav`, without its query.
    /// - Throws: `malformedRequest`, `nameInvalid`.
    init(target: Substring) throws {
        // A fragment is no part of what is asked for, and whoever sends one may mean something smaller.
        guard !target.utf8.contains(UInt8(ascii: "#")) else {
            throw WebError.malformedRequest("its target has a fragment")
        }
        let path = target.prefix { $0 != "?" }
        guard path == "/dav" || path.hasPrefix("/dav/") else { throw WebError.notFound }
        hasSlash = path.hasSuffix("/")
        let sent = try path.dropFirst(4).split(separator: "/").map { part in
            guard let name = PercentEncoding.decodeText(part), !name.utf8.contains(0), name != ".", name != ".." else {
                throw WebError.malformedRequest("its path is not percent-encoded UTF-8, or leads elsewhere")
            }
            return name
        }
        names = sent.map(ShownFileName.shown)
        sentName = sent.last
        guard names.count <= Self.mostNames else { throw WebError.malformedRequest("its path has too many parts") }
        guard names.reduce(0, { $0 + $1.utf8.count }) <= Self.longest else {
            throw WebError.malformedRequest("its path is longer than \(Self.longest) bytes")
        }
        // Also of what becomes no photo: each row of a listing looks its name up several times.
        guard sent.allSatisfy({ $0.utf8.count <= Session.Uploads.longestName }) else { throw VaultError.nameInvalid }
    }

    init(of request: Request) throws { try self.init(target: Substring(request.head.path ?? "")) }

    /// What `Destination` and tagged lists of `If` name: an address of this host, or a path.
    /// - Throws: `otherHost`.
    init(reference: String, of request: Request) throws {
        var target = Substring(reference)
        if let scheme = ["http://", "https://"].first(where: { reference.lowercased().hasPrefix($0) }) {
            let rest = target.dropFirst(scheme.count)
            let host = rest.prefix { $0 != "/" }
            guard host.lowercased() == request.head.authority?.lowercased() else { throw DAVRefusal.otherHost }
            target = rest.dropFirst(host.count)
        }
        let base = PageBase.current
        if !base.isEmpty, target.hasPrefix(base + "/") { target = target.dropFirst(base.count) }
        guard target == "/dav" || target.hasPrefix("/dav/") else { throw DAVRefusal.otherHost }
        try self.init(target: target)
    }

    var isRoot: Bool { names.isEmpty }
    var name: String { names.last ?? "dav" }
    var parent: DAVPath { DAVPath(Array(names.dropLast())) }

    func appending(_ name: String) -> DAVPath { DAVPath(names + [name]) }
    func isBelow(_ other: DAVPath) -> Bool { names.count > other.names.count && names.starts(with: other.names) }

    /// The same place below another folder.
    func moved(from old: DAVPath, to new: DAVPath) -> DAVPath {
        DAVPath(new.names + names.dropFirst(old.names.count))
    }

    /// As an answer names it.
    func href(isFolder: Bool) -> String {
        let path = names.map { "/" + PercentEncoding.encodePathPart($0) }.joined()
        return "\(PageBase.current)/dav\(path)\(isFolder ? "/" : "")"
    }
}
