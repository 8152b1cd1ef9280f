import Bytes
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vaults
import XML

/// What a request makes its effect depend on: `If-Match`, `If-None-Match` (RFC 9110, 13.1), and `If` (RFC 4918, 10.4) with
/// the tokens of locks.
struct DAVConditions {
    let tree: DAVTree
    let request: Request
    /// Tokens of locks that the client has.
    let tokens: Set<String>
    private let condition: IfHeader?

    init(tree: DAVTree, request: Request) throws {
        self.tree = tree
        self.request = request
        condition = try request.headers[.ifCondition].map { try IfHeader($0, from: tree.allowance) }
        tokens = condition?.tokens ?? []
    }

    /// - Throws: `preconditionFailed`.
    func require(at path: DAVPath, _ node: DAVNode?) async throws {
        let tags = request.tags(.ifMatch)
        if !tags.isEmpty {
            guard let node, tags.contains("*") || node.entityTag.map(tags.contains) == true else {
                throw DAVRefusal.preconditionFailed
            }
        }
        let others = request.tags(.ifNoneMatch)
        if let node, others.contains("*") || node.entityTag.map(others.contains) == true {
            throw DAVRefusal.preconditionFailed
        }
        guard let condition else { return }
        for list in condition.lists where try await holds(list, at: path) { return }
        throw DAVRefusal.preconditionFailed
    }

    /// - Throws: `locked`.
    func requireUnlocked(_ path: DAVPath, below: Bool = false) throws {
        // By a door's code nothing is overwritten that a lock would have to protect, and whoever has it could keep all
        // others out: locks are granted to programs that write with none, and keep nobody from anything.
        if tree.sendsOnly { return }
        guard tree.memory.withLocks({ $0.allow(tokens, at: path, below: below) }) else { throw DAVRefusal.locked }
    }

    /// What makes or takes away a name changes the folder, too; a lock on that alone counts, and one on the folder's tree
    /// covers the name already.
    /// - Throws: `locked`.
    func requireUnlocked(nameOf path: DAVPath, below: Bool = false) throws {
        try requireUnlocked(path, below: below)
        try requireUnlocked(path.parent)
    }

    /// One that gave way to others is as good.
    private func mayBeHeld(_ condition: IfHeader.Condition) -> Bool {
        tree.sendsOnly && condition.value.hasPrefix(DAVLock.tokenPrefix)
    }

    private func holds(_ list: IfHeader.List, at path: DAVPath) async throws -> Bool {
        var path = path
        if let resource = list.resource {
            guard let other = try? DAVPath(reference: resource, of: request) else { return false }
            path = try await tree.canonical(other)
        }
        let held = Set(tree.memory.withLocks { $0.covering(path) }.map(\.token))
        let tag = try await tree.node(at: path)?.entityTag
        return list.conditions.allSatisfy { condition in
            let holds =
                condition.isTag ? condition.value == tag : held.contains(condition.value) || mayBeHeld(condition)
            return holds != condition.isNegated
        }
    }
}

extension Request {
    /// Entity tags of a list, with their quotation marks; ours hold no comma.
    func tags(_ name: HTTPField.Name) -> [String] {
        headers[values: name].flatMap { value -> [Substring] in value.split(separator: ",") }.map { part -> String in
            part.filter { $0 != " " && $0 != "\t" }
        }
    }
}

/// Why a request is refused in the words of WebDAV (RFC 4918): a status, and for programs the condition that was not met.
struct DAVRefusal: Error, Equatable {
    let status: HTTPResponse.Status
    /// An element of the namespace `DAV:`; nil where the status says all.
    var condition: String?
    /// For people.
    let title: String

    static let malformed = Self(status: .badRequest, title: "The body is not the XML that this method takes.")
    static let tooMuch = Self(
        status: .contentTooLarge, title: "The body holds more than one request may ask for. Send it in parts.")
    static let tooManyProperties = Self(
        status: .contentTooLarge, title: "That asks for more properties than one request takes. Ask for a part of them."
    )
    static let longOwner = Self(
        status: .contentTooLarge, title: "The lock's owner is longer than 2,048 bytes. Say it in fewer words.")
    static let longProperty = Self(
        status: .contentTooLarge, title: "A property is longer than 16,384 bytes. Nothing was changed.")
    static let infiniteDepth = Self(
        status: .forbidden, condition: "propfind-finite-depth", title: "Ask for one folder at a time: Depth 0 or 1.")
    static let locked = Self(
        status: .init(code: 423, reasonPhrase: "Locked"), condition: "lock-token-submitted",
        title: "Somebody holds a lock on it.")
    static let lockConflict = Self(
        status: .init(code: 423, reasonPhrase: "Locked"), condition: "no-conflicting-lock",
        title: "Somebody holds a lock on it.")
    static let noSuchLock = Self(
        status: .conflict, condition: "lock-token-matches-request-uri", title: "There is no such lock.")
    static let preconditionFailed = Self(status: .preconditionFailed, title: "It is not as the request expects it.")
    static let noParent = Self(status: .conflict, title: "The folder is not there.")
    static let exists = Self(status: .methodNotAllowed, title: "It is there already.")
    static let isFolder = Self(status: .methodNotAllowed, title: "It is a folder.")
    static let readOnly = Self(
        status: .forbidden, title: "Nothing can be changed there: photos come in by the folders inbox and albums.")
    static let flatAlbum = Self(status: .forbidden, title: "An album holds photos, and no folders.")
    static let albumStays = Self(status: .forbidden, title: "An album can be renamed or copied among the albums only.")
    static let sidecar = Self(
        status: .forbidden, title: "It belongs to a photo of this album, and leaves it with that photo.")
    static let forgotten = Self(
        status: .forbidden, title: "Of that file only the name is known, so it can become no other.")
    static let otherHost = Self(status: .badGateway, title: "The destination is another host.")
    static let sameResource = Self(status: .forbidden, title: "Source and destination are one.")
    static let tooMany = Self(status: .insufficientStorage, title: "That is more than is remembered of one client.")
    static let digestMismatch = Self(
        status: .badRequest, title: "The bytes do not match the digest that was announced. Nothing of them was kept.")

    /// - Parameter reason: the first thing that is wrong with the body, in words that follow a colon.
    static func unreadable(_ reason: String) -> Self {
        Self(status: .badRequest, title: "The body's XML cannot be read: \(reason).")
    }

    var response: Response {
        let error = condition.map { "<D:\($0)/>" } ?? ""
        let body =
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:error xmlns:D=\"DAV:\">\(error)"
            + "<S:title xmlns:S=\"urn:safelight\">\(XMLText.escaped(title))</S:title></D:error>\n"
        var response = Response(
            status: status, headers: [.contentType: "application/xml; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
        if status == .methodNotAllowed { response.headers[.allow] = DAVRoutes.allowed }
        return response
    }
}

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
