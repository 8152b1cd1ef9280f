import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vault
import Vaults
import XML

/// DELETE, MKCOL, MOVE and COPY. What goes away goes to "Recently deleted"; no method of WebDAV deletes for good.
struct DAVChange {
    let tree: DAVTree
    let path: DAVPath
    let request: Request

    var memory: DAVMemory { tree.memory }

    // MARK: DELETE

    func delete() async throws -> Response {
        guard let node = try await tree.node(at: path) else { throw WebError.notFound }
        let conditions = try DAVConditions(tree: tree, request: request)
        try await conditions.require(at: path, node)
        try conditions.requireUnlocked(nameOf: path, below: true)
        // Who takes back what it sent a moment ago means that, and not what stood there before.
        switch memory.sentElsewhere(to: path) {
        case .photo(let id):
            if let album = try await tree.album(holding: path) {
                try await takeOut(id, of: album)
                for place in memory.places(of: id) where place.parent == path.parent { memory.remove(place) }
            } else {
                try await moveToTrash([id])
            }
        case .link(let id):
            // It was there before, and stays where it was.
            if case .photo(let photo) = node, photo.id == id { try await remove(node, at: path) }
        default: try await remove(node, at: path)
        }
        memory.endSent(to: path)
        memory.withLocks { $0.removeAll(at: path) }
        return Response(status: .noContent)
    }

    /// - Throws: `readOnly` for folders that nobody made.
    private func remove(_ node: DAVNode, at path: DAVPath) async throws {
        switch node {
        case .folder(.made):
            guard tree.firstTaken(below: path) == nil else { throw VaultError.onlySends }
            let all = memory.tree(below: path)
            let inside = Set(all.map(\.path))
            let photos = Set(all.compactMap { if case .photo(let id) = $0.entry { id } else { nil } })
            try await moveToTrash(photos.filter { memory.places(of: $0).isSubset(of: inside) })
            forgetAll(at: path)
        case .folder(.album(let album)): try await remove(album, at: path)
        case .folder: throw DAVRefusal.readOnly
        case .photo(let photo):
            if let album = try await tree.album(holding: path) {
                // A copy beside it is the same photo, and stays.
                if !memory.isElsewhere(photo.id, besides: path, within: path.parent) {
                    try await takeOut(photo.id, of: album)
                }
                memory.remove(path)
                return
            }
            // One that was there before stays where it was, also where that was found later.
            if let entry = memory.entry(at: path), entry != .photo(photo.id) {
                memory.remove(path)
                return
            }
            // A copy has not been stored twice, and goes by itself.
            let places = memory.places(of: photo.id)
            if places.contains(path), places.count > 1 {
                memory.remove(path)
            } else {
                try await moveToTrash([photo.id])
            }
        case .empty, .forgotten: memory.remove(path)
        case .taken: throw VaultError.onlySends
        }
    }

    private func moveToTrash(_ ids: Set<String>) async throws {
        guard !ids.isEmpty else { return }
        guard !tree.sendsOnly else { throw VaultError.onlySends }
        _ = try await tree.session.trash.move(Array(ids))
        memory.forget(ids)
    }

    // MARK: MKCOL

    /// Makes an album; elsewhere, folders are where a client sees its own files, for as long as its session lives.
    func makeFolder() async throws -> Response {
        guard !request.hasBody else { throw WebError.unsupportedMediaType }
        let node = try await tree.node(at: path)
        guard node == nil else { throw DAVRefusal.exists }
        guard DAVTree.isWritable(path) else { throw DAVRefusal.readOnly }
        try await tree.makeFolders(above: path)
        guard let parent = try await tree.node(at: path.parent), parent.isFolder else { throw DAVRefusal.noParent }
        if case .folder(.album) = parent { throw DAVRefusal.flatAlbum }
        let conditions = try DAVConditions(tree: tree, request: request)
        try await conditions.require(at: path, nil)
        try conditions.requireUnlocked(nameOf: path)
        if case .folder(.albums) = parent {
            try await makeAlbum()
        } else {
            try memory.put(.folder(since: .now), at: path)
        }
        return Response(status: .created)
    }

    // MARK: MOVE, COPY

    func move(isCopy: Bool) async throws -> Response {
        guard let node = try await tree.node(at: path) else { throw WebError.notFound }
        guard let reference = request.headers[.destination] else {
            throw WebError.malformedRequest("Destination is missing")
        }
        let sent = try DAVPath(reference: reference, of: request)
        try tree.requireMay(request.method, sent)
        if case .folder(.album(let album)) = node { return try await move(album, to: sent, isCopy: isCopy) }
        let destination = try await tree.canonical(sent)
        let there = try await target(destination, of: node, isCopy: isCopy)
        let conditions = try DAVConditions(tree: tree, request: request)
        try await conditions.require(at: path, node)
        try conditions.requireUnlocked(nameOf: destination, below: true)
        if !isCopy { try conditions.requireUnlocked(nameOf: path, below: true) }
        if case .photo(let photo) = node, path.isBelow(DAVTree.inbox) || (!isCopy && DAVTree.isWritable(path)),
            memory.entry(at: path) == nil
        {
            try memory.put(.photo(photo.id), at: path)
        }
        if case .photo(let photo) = node, isCopy, path.parent == destination.parent, memory.entry(at: path) == nil {
            // Both names are told from then on.
            try memory.put(.link(photo.id), at: path)
        }
        let refilings = try await refilings(of: node, to: destination, isCopy: isCopy)
        if let there, there.isFolder { try await remove(there, at: destination) }
        if !refilings.isEmpty { try await tree.session.files.refile(refilings) }
        if let there {
            switch (there, node) {
            // Editors write beside a file and move what they wrote over it.
            case (.photo(let former), .photo(let photo)) where former.id == photo.id: break
            case (.photo(let former), .photo(let photo)) where !isCopy && !tree.sendsOnly:
                let replacement = DAVReplacement(tree: tree, path: destination)
                try await replacement.put(.link(photo.id), over: former)
            case (_, _) where !there.isFolder: try await remove(there, at: destination)
            default: break
            }
            memory.withLocks { $0.removeAll(at: destination) }
        }
        try carry(node, to: destination, isCopy: isCopy)
        if !isCopy { memory.withLocks { $0.removeAll(at: path) } }
        return Response(status: there == nil ? .created : .noContent)
    }

    /// What stands where it is to come; refuses what cannot be.
    private func target(_ destination: DAVPath, of node: DAVNode, isCopy: Bool) async throws -> DAVNode? {
        guard destination != path, !destination.isBelow(path), !path.isBelow(destination) else {
            throw DAVRefusal.sameResource
        }
        // What is taken by its date into an album is there as well, whatever the client calls that.
        guard DAVTree.isWritable(destination),
            isCopy || DAVTree.isWritable(path) || (!node.isFolder && destination.isBelow(DAVTree.albums))
        else { throw DAVRefusal.readOnly }
        switch node {
        case .folder(.made), .photo, .empty: break
        case .folder: throw DAVRefusal.readOnly
        case .taken: throw VaultError.onlySends
        case .forgotten: guard SystemFiles.contain(destination.name) else { throw DAVRefusal.forgotten }
        }
        try await tree.makeFolders(above: destination)
        guard let parent = try await tree.node(at: destination.parent), parent.isFolder else {
            throw DAVRefusal.noParent
        }
        if case .folder(.album) = parent, node.isFolder { throw DAVRefusal.flatAlbum }
        let there = try await tree.node(at: destination)
        try requireMayReplace(there)
        switch there {
        case .photo where tree.sendsOnly, .taken: throw VaultError.onlySends
        default: return there
        }
    }

    /// - Throws: `preconditionFailed`.
    func requireMayReplace(_ there: DAVNode?) throws {
        if there != nil, request.headers[.overwrite]?.uppercased() == "F" { throw DAVRefusal.preconditionFailed }
    }

    private func carry(_ node: DAVNode, to destination: DAVPath, isCopy: Bool) throws {
        var moved: [(path: DAVPath, entry: DAVMemory.Entry)] = []
        switch node {
        case .photo(let photo): moved = [(path, memory.entry(at: path) ?? .link(photo.id))]
        case .taken: break
        case .empty(let since): moved = [(path, .empty(since: since))]
        case .forgotten(let byteCount, let since): moved = [(path, .forgotten(byteCount: byteCount, since: since))]
        case .folder:
            // An album is none of a client's folders.
            if destination.parent != DAVTree.albums { moved = [(path, .folder(since: .now))] }
            if !(isCopy && request.headers[.depth] == "0") { moved += memory.tree(below: path) }
        }
        for one in moved {
            let place = one.path.moved(from: path, to: destination)
            try memory.put(one.entry, at: place)
            try memory.copyProperties(from: one.path, to: place)
        }
        guard !isCopy else { return }
        memory.remove(moved.map(\.path))
        if node.isFolder { forgetAll(at: path) }
    }
}

extension DAVChange {
    /// PROPPATCH: all of it, or nothing. Times of a file are kept with its photo; what else a client says is remembered
    /// until its session ends.
    func setProperties(_ body: XMLElement?) async throws -> Response {
        let update = try PropertyUpdate(body)
        guard let node = try await tree.node(at: path) else { throw WebError.notFound }
        let conditions = try DAVConditions(tree: tree, request: request)
        try await conditions.require(at: path, node)
        try conditions.requireUnlocked(path)
        // The times of what the vault has taken are its owner's to change.
        let isTaken = if case .taken = node { true } else { false }
        let isOwn = !isTaken && (DAVTree.isWritable(path) || memory.entry(at: path) != nil)
        let refusals = update.steps.map { isOwn ? refusal(of: $0) : .forbidden }
        if refusals.contains(where: { $0 != nil }) {
            return answer(node, zip(update.steps, refusals).map { ($0.name, $1 ?? .failedDependency) })
        }
        let values = try update.steps.map(value)
        for (step, value) in zip(update.steps, values) { try await carryOut(step, value, node) }
        return answer(node, update.steps.map { ($0.name, .ok) })
    }

    /// What is remembered of a step, written before anything is changed; nil where it takes something away.
    private func value(of step: PropertyUpdate.Step) throws -> String? {
        guard case .set(let element) = step else { return nil }
        do { return try element.inner(atMost: PropertyUpdate.longestValue, from: tree.allowance) } catch {
            throw DAVRefusal.longProperty
        }
    }

    private func refusal(of step: PropertyUpdate.Step) -> HTTPResponse.Status? {
        switch step {
        case .set(let element) where XMLName.times.contains(element.name):
            UTCTime.parse(element.text) == nil ? .conflict : nil
        default:
            LiveProperties.isLive(step.name) && step.name != .dav("creationdate") ? .forbidden : nil
        }
    }

    private func carryOut(_ step: PropertyUpdate.Step, _ value: String?, _ node: DAVNode) async throws {
        switch step {
        case .set(let element):
            if XMLName.times.contains(element.name), let time = UTCTime.parse(element.text) {
                if case .photo(let photo) = node { try await tree.session.files.setFileTime(photo.id, to: time) }
                if element.name.namespace == "DAV:" { return }
            }
            if LiveProperties.isLive(element.name) { return }
            try memory.setProperty(element.name, value, at: path)
        case .remove(let name): try memory.setProperty(name, nil, at: path)
        }
    }

    private func answer(_ node: DAVNode, _ results: [(name: XMLName, status: HTTPResponse.Status)]) -> Response {
        let groups = Dictionary(grouping: results, by: \.status.code).sorted { $0.key < $1.key }
        let text = DAVMultistatus.response(
            path, node,
            groups.map { group in
                (group.value[0].status, group.value.map { DAVMultistatus.element($0.name, nil) })
            })
        return Response(
            status: .multiStatus, headers: [.contentType: "application/xml; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: DAVMultistatus.start + text + DAVMultistatus.end)))
    }
}

extension HTTPResponse.Status {
    fileprivate static let failedDependency = Self(code: 424, reasonPhrase: "Failed Dependency")
}

extension XMLName {
    /// What Windows says after it has copied a file.
    static let win32LastModified = XMLName("urn:schemas-microsoft-com:", "Win32LastModifiedTime")
    /// Names by which clients say when a file was changed last.
    static let times: Set<XMLName> = [
        win32LastModified, .dav("getlastmodified"), .dav("lastmodified"),
        XMLName("http://owncloud.org/ns", "lastmodified"),
    ]
}
