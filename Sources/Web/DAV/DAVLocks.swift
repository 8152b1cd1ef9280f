import Bytes
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import XML

/// One lock of WebDAV (RFC 4918, 6). It keeps others from writing, and lets nobody read or write who could not before.
struct DAVLock: Sendable {
    static let tokenPrefix = "urn:uuid:"

    /// `urn:uuid:…`
    let token: String
    let path: DAVPath
    let isShared: Bool
    /// Whether it holds for all that lies in the folder.
    let isDeep: Bool
    /// XML, as the client gave it.
    fileprivate(set) var owner: String
    var seconds: Int
    var deadline: ContinuousClock.Instant

    func covers(_ other: DAVPath) -> Bool { path == other || (isDeep && other.isBelow(path)) }

    /// What it takes in memory.
    fileprivate var byteCount: Int { path.names.reduce(256 + owner.utf8.count) { $0 + $1.utf8.count } }
}

/// The locks of one session, in memory alone: they end with it.
struct DAVLocks: Sendable {
    /// Shared ones that hold at one place: each of its rows tells of them.
    static let mostShared = 4
    static let longestSeconds = 3600

    private var locks: [DAVLock] = []

    var byteCount: Int { locks.reduce(0) { $0 + $1.byteCount } }

    mutating func forgetOld(_ now: ContinuousClock.Instant) { locks.removeAll { $0.deadline <= now } }

    func covering(_ path: DAVPath) -> [DAVLock] { locks.filter { $0.covers(path) } }

    /// Those that a change of all that lies there meets.
    func meeting(_ path: DAVPath, below: Bool) -> [DAVLock] {
        locks.filter { $0.covers(path) || (below && $0.path.isBelow(path)) }
    }

    /// - Throws: `lockConflict`; `tooMany` where that many are shared there, or the request may have no more.
    mutating func add(_ lock: DAVLock, from allowance: Allowance) throws(DAVRefusal) {
        let met = meeting(lock.path, below: lock.isDeep)
        guard met.allSatisfy({ $0.isShared && lock.isShared }) else { throw .lockConflict }
        // Whatever lies there: at no place more of them hold, since of two that hold there one lies above the other.
        guard met.count < Self.mostShared else { throw .tooMany }
        do { try allowance.take(.locks, locks.count + 1) } catch { throw .tooMany }
        locks.append(lock)
    }

    /// Beside all others, which it keeps from nothing; of too many, the oldest gives way.
    mutating func addForNobody(_ lock: DAVLock, from allowance: Allowance) throws(DAVRefusal) {
        while (try? allowance.take(.locks, locks.count + 1)) == nil {
            guard !locks.isEmpty else { throw .tooMany }
            locks.removeFirst()
        }
        // Nobody is told whose it is: whoever has it knows.
        var lock = lock
        lock.owner = ""
        locks.append(lock)
    }

    /// - Throws: `noSuchLock` for one that does not hold there.
    mutating func refresh(
        _ tokens: Set<String>, at path: DAVPath, seconds: Int, _ now: ContinuousClock.Instant
    ) throws(DAVRefusal) -> DAVLock {
        guard let index = locks.firstIndex(where: { tokens.contains($0.token) && $0.covers(path) }) else {
            throw .preconditionFailed
        }
        locks[index].seconds = seconds
        locks[index].deadline = now + .seconds(seconds)
        return locks[index]
    }

    mutating func remove(_ token: String, at path: DAVPath) throws(DAVRefusal) {
        guard let index = locks.firstIndex(where: { $0.token == token && $0.covers(path) }) else { throw .noSuchLock }
        locks.remove(at: index)
    }

    /// What is gone, or has moved, holds no lock any more (RFC 4918, 7.6).
    mutating func removeAll(at path: DAVPath) { locks.removeAll { $0.path == path || $0.path.isBelow(path) } }

    /// Whether whoever shows these tokens may change what lies there.
    /// - Parameter below: whether all that lies in it changes, too.
    func allow(_ tokens: Set<String>, at path: DAVPath, below: Bool = false) -> Bool {
        let met = meeting(path, below: below)
        // Of several who share a lock each has a token of its own.
        return met.allSatisfy { lock in
            tokens.contains(lock.token)
                || (lock.isShared && met.contains { $0.path == lock.path && $0.isShared && tokens.contains($0.token) })
        }
    }
}

/// `If` (RFC 4918, 10.4): lists of conditions, of which one has to hold.
struct IfHeader {
    struct Condition: Equatable {
        let isNegated: Bool
        /// A token, or an entity tag with its quotation marks.
        let value: String
        let isTag: Bool
    }

    struct List {
        /// The resource that it is about; nil for that of the request.
        let resource: String?
        let conditions: [Condition]
    }

    private(set) var lists: [List] = []
    private static let mostConditions = 64

    /// Tokens that the client shows to have, whatever becomes of the conditions.
    var tokens: Set<String> {
        Set(lists.flatMap(\.conditions).filter { !$0.isTag && !$0.isNegated }.map(\.value))
    }

    /// - Throws: `malformedRequest`, `Spent`.
    init(_ field: String, from allowance: Allowance) throws {
        var rest = Substring(field)
        var (resource, count) = (String?.none, 0)
        while let sign = Self.next(&rest) {
            switch sign {
            case "<": resource = try Self.take(until: ">", &rest)
            case "(":
                let conditions = try Self.conditions(&rest)
                // Each is looked up by itself.
                try allowance.take(.rows, conditions.count)
                count += conditions.count
                guard count <= Self.mostConditions else { throw Self.malformed }
                lists.append(List(resource: resource, conditions: conditions))
            default: throw Self.malformed
            }
        }
        guard !lists.isEmpty else { throw Self.malformed }
    }

    private static let malformed = WebError.malformedRequest("If cannot be read")

    private static func conditions(_ rest: inout Substring) throws -> [Condition] {
        var (conditions, isNegated) = ([Condition](), false)
        while let sign = next(&rest) {
            switch sign {
            case ")":
                guard !conditions.isEmpty, !isNegated else { throw malformed }
                return conditions
            case "<":
                conditions.append(
                    Condition(isNegated: isNegated, value: String(try take(until: ">", &rest)), isTag: false))
                isNegated = false
            case "[":
                conditions.append(
                    Condition(isNegated: isNegated, value: String(try take(until: "]", &rest)), isTag: true))
                isNegated = false
            case "N", "n":
                guard !isNegated, rest.prefix(2).lowercased() == "ot" else { throw malformed }
                rest = rest.dropFirst(2)
                isNegated = true
            default: throw malformed
            }
        }
        throw malformed
    }

    private static func next(_ rest: inout Substring) -> Character? {
        rest = rest.drop { $0 == " " || $0 == "\t" }
        return rest.popFirst()
    }

    private static func take(until end: Character, _ rest: inout Substring) throws -> String {
        guard let index = rest.firstIndex(of: end), index > rest.startIndex else { throw malformed }
        defer { rest = rest[rest.index(after: index)...] }
        return String(rest[..<index])
    }
}

extension DAVChange {
    /// LOCK: makes one, or, without a body, makes one last longer. Where nothing stands, a file without a byte does from
    /// then on (RFC 4918, 7.3).
    func lock(_ body: XMLElement?) async throws -> Response {
        let node = try await tree.node(at: path)
        let conditions = try DAVConditions(tree: tree, request: request)
        guard let body else {
            let lock = try memory.withLocks {
                try $0.refresh(conditions.tokens, at: path, seconds: seconds, .now)
            }
            return answer(lock, isNew: false, status: .ok)
        }
        let wish = try LockWish(body, from: tree.allowance)
        try await conditions.require(at: path, node)
        if node == nil {
            try await tree.makeFolders(above: path)
            guard try await tree.node(at: path.parent)?.isFolder == true, !path.hasSlash else {
                throw DAVRefusal.noParent
            }
            try conditions.requireUnlocked(path.parent)
        }
        let lock = DAVLock(
            token: DAVLock.tokenPrefix + UUID().uuidString.lowercased(), path: path, isShared: wish.isShared,
            isDeep: try isDeep(node), owner: wish.owner, seconds: seconds, deadline: .now + .seconds(seconds))
        try memory.addLock { locks in
            if tree.sendsOnly {
                try locks.addForNobody(lock, from: tree.allowance)
            } else {
                try locks.add(lock, from: tree.allowance)
            }
        }
        if node == nil {
            do { try memory.put(.empty(since: .now), at: path) } catch {
                try memory.withLocks { try $0.remove(lock.token, at: path) }
                throw error
            }
        }
        return answer(lock, isNew: true, status: node == nil ? .created : .ok)
    }

    func unlock() async throws -> Response {
        guard let field = request.headers[.lockToken], field.hasPrefix("<"), field.hasSuffix(">") else {
            throw WebError.malformedRequest("Lock-Token is missing")
        }
        try memory.withLocks { try $0.remove(String(field.dropFirst().dropLast()), at: path) }
        return Response(status: .noContent)
    }

    private func isDeep(_ node: DAVNode?) throws -> Bool {
        switch request.headers[.depth]?.lowercased() {
        case nil, "infinity": node?.isFolder == true
        case "0": false
        default: throw WebError.malformedRequest("Depth is 0 or infinity")
        }
    }

    /// As long as the client wants, up to an hour; it may ask again.
    private var seconds: Int {
        let wishes = (request.headers[.timeout] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        for wish in wishes where wish.lowercased().hasPrefix("second-") {
            if let seconds = Int(wish.dropFirst(7)), seconds > 0 { return min(seconds, DAVLocks.longestSeconds) }
        }
        return DAVLocks.longestSeconds
    }

    private func answer(_ lock: DAVLock, isNew: Bool, status: HTTPResponse.Status) -> Response {
        let text =
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:prop xmlns:D=\"DAV:\"><D:lockdiscovery>"
            + "\(LiveProperties.activeLock(lock, withOwner: true))</D:lockdiscovery></D:prop>\n"
        var response = Response(
            status: status, headers: [.contentType: "application/xml; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        if isNew { response.headers[.lockToken] = "<\(lock.token)>" }
        return response
    }
}
