import HTTPTypes
import Records
import Vault
import Vaults

/// What there is for whoever sends with a door's code: the inbox, and in it what the same device has sent with it within
/// a day.
extension DAVTree {
    /// A program that may send, and nothing else: it opens nothing and deletes nothing.
    var sendsOnly: Bool { session.kind == .sender }
    /// What a program's code may ask for: nothing that takes away or renames.
    private static let ofApps: Set<HTTPRequest.Method> = [.get, .head, .propfind, .put, .mkcol, .lock, .unlock]

    /// Refuses what no place and no photo could change. That photos are neither read nor deleted is seen to where that
    /// would be done: programs look at, and take away, what is none, as the file without a byte before the real one.
    /// - Throws: `onlySends`, `onlyForApps`.
    func requireMay(_ method: HTTPRequest.Method, _ path: DAVPath) throws(VaultError) {
        guard !session.isApp || Self.ofApps.contains(method) else { throw .onlyForApps }
        guard sendsOnly else { return }
        guard path.isRoot || path == Self.inbox || path.isBelow(Self.inbox), method != .copy else { throw .onlySends }
    }

    /// Programs make a folder once and send into it for days; here it is gone with what a restart or the vault took.
    /// - Throws: `tooMany`, `busy`.
    func makeFolders(above path: DAVPath) async throws {
        guard sendsOnly, path.isBelow(Self.inbox) else { return }
        var missing: [DAVPath] = []
        var folder = path.parent
        while folder.isBelow(Self.inbox) {
            guard let node = try await node(at: folder) else {
                missing.append(folder)
                folder = folder.parent
                continue
            }
            guard node.isFolder else { return }
            break
        }
        for folder in missing.reversed() { try memory.put(.folder(since: .now), at: folder) }
    }

    // MARK: What the vault has taken

    /// It stands where it was sent to, and so do the folders above it.
    func takenNode(at path: DAVPath) -> DAVNode? {
        guard path.isBelow(Self.inbox) else { return nil }
        let place = path.names.dropFirst()
        if let sent = taken.last(where: { $0.place.elementsEqual(place) }) { return .taken(sent) }
        return firstTaken(below: path).map { .folder(.made(since: Milliseconds.date($0.receivedAt))) }
    }

    func firstTaken(below path: DAVPath) -> SentThroughDoors.Sent? {
        let place = path.names.dropFirst()
        return taken.first { $0.place.count > place.count && $0.place.starts(with: place) }
    }

    /// - Parameter names: of what stands there otherwise.
    func takenChildren(of path: DAVPath, besides names: Set<String>) -> [(path: DAVPath, node: DAVNode)] {
        guard path == Self.inbox || path.isBelow(Self.inbox) else { return [] }
        let place = path.names.dropFirst()
        var children: [String: DAVNode] = [:]
        for sent in taken where sent.place.count > place.count && sent.place.starts(with: place) {
            let name = sent.place[place.count]
            guard !names.contains(name) else { continue }
            children[name] =
                sent.place.count == place.count + 1
                ? .taken(sent) : .folder(.made(since: Milliseconds.date(sent.receivedAt)))
        }
        return children.sorted { $0.key < $1.key }.map { (path.appending($0.key), $0.value) }
    }
}
