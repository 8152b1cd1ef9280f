import Bytes
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vault
import Vaults
import XML

/// Writes the parts of a 207 (RFC 4918, 13), one resource after the other.
struct DAVMultistatus {
    static let start = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:multistatus xmlns:D=\"DAV:\">\n"
    static let end = "</D:multistatus>\n"

    /// The answer to a PROPFIND.
    static func answer(_ body: ResponseBody) -> Response {
        Response(
            status: .multiStatus, headers: [.contentType: "application/xml; charset=utf-8", .dav: "1, 2"], body: body)
    }

    let tree: DAVTree
    /// Nil where nobody asked for it, or nobody is to know.
    let storage: VaultStorage?

    /// What is known of one resource, as it was asked.
    /// - Throws: `Spent` where the answer has as much as the request may be answered.
    func response(to query: PropertyQuery, at path: DAVPath, _ node: DAVNode) throws(Allowance.Spent) -> String {
        try tree.allowance.take(.rows, 1)
        let text = text(of: query, at: path, node)
        try tree.allowance.take(.answer, text.utf8.count)
        return text
    }

    private func text(of query: PropertyQuery, at path: DAVPath, _ node: DAVNode) -> String {
        let live = LiveProperties(path: path, node: node, tree: tree, storage: storage)
        let dead = tree.memory.properties(at: path)
        switch query {
        case .all:
            return Self.response(
                path, node,
                [(.ok, live.names.compactMap(live.element) + Self.ordered(dead).map { Self.element($0, $1) })])
        case .names:
            return Self.response(
                path, node, [(.ok, (live.names + Self.ordered(dead).map(\.0)).map { Self.element($0, nil) })])
        case .some(let names):
            var (found, missing) = ([String](), [String]())
            for name in names {
                if let element = live.element(name) ?? dead[name].map({ Self.element(name, $0) }) {
                    found.append(element)
                } else {
                    missing.append(Self.element(name, nil))
                }
            }
            return Self.response(path, node, [(.ok, found), (.notFound, missing)])
        }
    }

    /// One resource, with properties by what became of them.
    static func response(
        _ path: DAVPath, _ node: DAVNode, _ results: [(status: HTTPResponse.Status, elements: [String])]
    ) -> String {
        response(path.href(isFolder: node.isFolder), results)
    }

    static func response(
        _ href: String, _ results: [(status: HTTPResponse.Status, elements: [String])]
    ) -> String {
        var text = "<D:response><D:href>\(XMLText.escaped(href))</D:href>"
        let told = results.filter { !$0.elements.isEmpty }
        for result in told.isEmpty ? [(.ok, [])] : told {
            text += "<D:propstat><D:prop>\(result.elements.joined())</D:prop>"
            text += "<D:status>HTTP/1.1 \(result.status.code) \(result.status.reasonPhrase)</D:status></D:propstat>"
        }
        return text + "</D:response>\n"
    }

    static func element(_ name: XMLName, _ value: String?) -> String {
        let (tag, start) =
            name.namespace == "DAV:"
            ? ("D:\(name.local)", "D:\(name.local)")
            : (name.local, "\(name.local) xmlns=\"\(XMLText.escaped(name.namespace))\"")
        guard let value, !value.isEmpty else { return "<\(start)/>" }
        return "<\(start)>\(value)</\(tag)>"
    }

    /// The same order each time.
    private static func ordered(_ properties: [XMLName: String]) -> [(XMLName, String)] {
        properties.sorted { ($0.key.namespace, $0.key.local) < ($1.key.namespace, $1.key.local) }
    }
}

/// Properties that follow from what a resource is (RFC 4918, 15).
struct LiveProperties {
    let path: DAVPath
    let node: DAVNode
    let tree: DAVTree
    let storage: VaultStorage?

    /// Those of RFC 4331, which are told only where they are asked for by name.
    static let quota = ["quota-available-bytes", "quota-used-bytes"].map(XMLName.dav)

    static let writeLocks =
        ["exclusive", "shared"].map {
            "<D:lockentry><D:lockscope><D:\($0)/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>"
        }.joined()

    var names: [XMLName] {
        let all = ["creationdate", "displayname", "getlastmodified", "resourcetype", "supportedlock", "lockdiscovery"]
        let ofFiles = ["getcontentlength", "getcontenttype", "getetag"]
        return (node.isFolder ? all : all + ofFiles).map(XMLName.dav)
    }

    static func isLive(_ name: XMLName) -> Bool {
        quota.contains(name)
            || name.namespace == "DAV:"
                && [
                    "creationdate", "displayname", "getlastmodified", "resourcetype", "supportedlock", "lockdiscovery",
                    "getcontentlength", "getcontenttype", "getetag",
                ].contains(name.local)
    }

    /// Nil for what this resource has not.
    func element(_ name: XMLName) -> String? {
        guard name.namespace == "DAV:", let value = value(name.local) else { return nil }
        return DAVMultistatus.element(name, value)
    }

    private func value(_ name: String) -> String? {
        switch name {
        case "creationdate": UTCTime(times.made).rfc3339
        case "displayname": XMLText.escaped(path.name)
        case "getlastmodified": UTCTime(times.changed).httpDate
        case "resourcetype": node.isFolder ? "<D:collection/>" : ""
        case "supportedlock": Self.writeLocks
        case "lockdiscovery": locks
        case "getcontentlength": byteCount.map(String.init)
        case "getcontenttype": type
        case "getetag": node.entityTag.map(XMLText.escaped)
        case "quota-available-bytes" where node.isFolder: storage.map { String($0.freeByteCount) }
        case "quota-used-bytes" where node.isFolder: storage.map { String($0.photos.byteCount + $0.trash.byteCount) }
        default: nil
        }
    }

    private var times: (made: Date, changed: Date) {
        switch node {
        case .folder(.made(let since)), .empty(let since), .forgotten(_, let since): (since, since)
        // As long as the session lives: when which photo came or went in it is told by nothing.
        case .folder: (tree.session.openedAt, tree.session.openedAt)
        case .photo(let photo): (photo.receivedAt, photo.modifiedAt ?? photo.receivedAt)
        case .taken(let sent):
            (Milliseconds.date(sent.receivedAt), Milliseconds.date(sent.modifiedAt ?? sent.receivedAt))
        }
    }

    private var byteCount: UInt64? {
        switch node {
        case .folder: nil
        case .photo(let photo): photo.byteCount
        case .empty: 0
        case .forgotten(let byteCount, _): byteCount
        case .taken(let sent): sent.byteCount
        }
    }

    private var type: String? {
        switch node {
        case .folder: nil
        case .photo(let photo): photo.type
        case .taken(let sent): sent.type
        case .empty, .forgotten: "application/octet-stream"
        }
    }

    /// Locks for nobody are not told. Below a folder, the lock on that is told without the words of who holds it, which
    /// stand at its root.
    private var locks: String {
        guard !tree.sendsOnly else { return "" }
        return tree.memory.withLocks { $0.covering(path) }
            .map { Self.activeLock($0, withOwner: $0.path == path) }.joined()
    }

    static func activeLock(_ lock: DAVLock, withOwner: Bool) -> String {
        let owner = lock.owner.isEmpty || !withOwner ? "" : "<D:owner>\(lock.owner)</D:owner>"
        return "<D:activelock><D:locktype><D:write/></D:locktype>"
            + "<D:lockscope><D:\(lock.isShared ? "shared" : "exclusive")/></D:lockscope>"
            + "<D:depth>\(lock.isDeep ? "infinity" : "0")</D:depth>\(owner)"
            + "<D:timeout>Second-\(lock.seconds)</D:timeout>"
            + "<D:locktoken><D:href>\(XMLText.escaped(lock.token))</D:href></D:locktoken>"
            + "<D:lockroot><D:href>\(XMLText.escaped(lock.path.href(isFolder: false)))</D:href></D:lockroot>"
            + "</D:activelock>"
    }
}
