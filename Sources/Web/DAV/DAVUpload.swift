import Content
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vault
import Vaults

/// PUT: a photo on its way in, by an address that its client chose. What its client saw there lies in "Recently deleted"
/// then; a door's code replaces nothing, and what stood at its address stands beside it.
struct DAVUpload {
    /// Files of the same name and size that are read from the disk, to be compared with what comes.
    private static let mostUnread = 4

    let tree: DAVTree
    let path: DAVPath
    let request: Request

    func answer() async throws -> Response {
        try WholeFile.require(request)
        guard request.declaredByteCount != nil || request.headers.contains(.transferEncoding) else {
            throw WebError.lengthRequired
        }
        let node = try await tree.node(at: path)
        guard node?.isFolder != true, !path.hasSlash else { throw DAVRefusal.isFolder }
        try await tree.makeFolders(above: path)
        guard try await tree.node(at: path.parent)?.isFolder == true else { throw DAVRefusal.noParent }
        let conditions = try DAVConditions(tree: tree, request: request)
        try await conditions.require(at: path, node)
        if node == nil {
            try conditions.requireUnlocked(nameOf: path)
        } else {
            try conditions.requireUnlocked(path)
        }
        let announced = try AnnouncedDigests(request.headers)
        var body = request.body.makeAsyncIterator()
        if SystemFiles.contain(path.name) { return try await forget(&body, node) }
        var first = ByteBuffer()
        if (request.declaredByteCount ?? 0) == 0 {
            while first.readableBytes == 0, let piece = try await body.next() { first = piece }
            if first.readableBytes == 0 {
                guard try RunningDigests(announced.expected.map(\.algorithm)).match(announced) else {
                    throw DAVRefusal.digestMismatch
                }
                return try keepPlace(node)
            }
        }
        return try await store(first, &body, announced, node)
    }

    // MARK: What becomes no photo

    /// macOS and Windows make a file without a byte before they send it. The client sees it until the content comes.
    private func keepPlace(_ node: DAVNode?) throws -> Response {
        if node == nil { try tree.memory.put(.empty(since: .now), at: path) }
        return saved(node == nil ? .created : .noContent, nil)
    }

    private func forget(_ body: inout RequestBody.AsyncIterator, _ node: DAVNode?) async throws -> Response {
        var byteCount: UInt64 = 0
        while let piece = try await body.next() { byteCount += UInt64(piece.readableBytes) }
        try tree.memory.put(.forgotten(byteCount: byteCount, since: .now), at: path)
        return saved(node == nil ? .created : .noContent, nil)
    }

    // MARK: What does

    private func store(
        _ first: ByteBuffer, _ body: inout RequestBody.AsyncIterator, _ announced: AnnouncedDigests, _ node: DAVNode?
    ) async throws -> Response {
        let byteCount = try WholeFile.byteCount(of: request)
        let place = try await arrivalPlace(node)
        defer { tree.memory.endArrival(at: place) }
        let namesakes = try await namesakes(node)
        let taken: SentThroughDoors.Sent? = if case .taken(let sent)? = node { sent } else { nil }
        let isCompared = !namesakes.isEmpty || taken != nil
        let digests = try RunningDigests(announced.expected.map(\.algorithm) + (isCompared ? [.sha256] : []))
        let upload = try await tree.session.uploads.begin(
            name: place == path ? path.sentName ?? path.name : place.name, declaredByteCount: byteCount,
            lastModified: modified, album: try await albumName, path: source)
        do {
            var byteCount: UInt64 = 0
            var next: ByteBuffer? = first
            while let piece = next {
                try digests.update(piece)
                byteCount += UInt64(piece.readableBytes)
                try await upload.append(piece)
                next = try await body.next()
            }
            guard try digests.match(announced) else { throw DAVRefusal.digestMismatch }
            if let taken, taken.byteCount == byteCount, let sha256 = taken.sha256,
                try digests.digest(.sha256) == sha256
            {
                await upload.abandon()
                return saved(.noContent, node?.entityTag)
            }
            if byteCount == request.declaredByteCount ?? byteCount, let sha256 = try digests.digest(.sha256),
                let known = try await same(sha256, byteCount, among: namesakes)
            {
                await upload.abandon()
                return try await noted(known, isNew: false, at: path, over: node)
            }
            let photo = try await upload.finish()
            return try await noted(photo, isNew: photo.isDuplicate != true, at: place, over: node)
        } catch {
            await upload.abandon()
            throw error
        }
    }

    /// Folders and name, for what lies beside it.
    private var source: String {
        path.names.dropFirst(path.isBelow(DAVTree.inbox) ? 1 : 0).joined(separator: "/")
    }

    /// Of an export its own files say what is an album.
    private var albumName: String? {
        get async throws {
            if path.isBelow(DAVTree.inbox), Session.Uploads.isOfExport(source) { return nil }
            return try await tree.albumName(at: path)?.text
        }
    }

    /// Where the photo will stand: at the address, or with a number beside it where another one is on its way there, or
    /// stands there and is not meant.
    private func arrivalPlace(_ node: DAVNode?) async throws -> DAVPath {
        let isKept =
            if case .photo(let former)? = node { !tree.sendsOnly && !replacement.isMeant(over: former) } else { false }
        if !isKept, tree.memory.beginArrival(at: path) { return path }
        while true {
            let place = path.parent.appending(try await tree.freeName(for: path))
            if tree.memory.beginArrival(at: place) { return place }
        }
    }

    /// What may be the same photo: it stands at the address or beside it, and has as many bytes.
    private func namesakes(_ node: DAVNode?) async throws -> [Photo] {
        var photos: [Photo] = []
        if case .photo? = node { photos = try await tree.namesakes(of: path) }
        // Folders of a client are gone with a restart, and what it sent is not: it may send all of it again.
        if tree.sendsOnly { photos += try await tree.namesakes(of: DAVTree.inbox.appending(path.name), stored: true) }
        return photos.filter {
            !$0.isDamaged && $0.byteCount == request.declaredByteCount ?? $0.byteCount
        }
    }

    /// Those that have to be read for it are few: who sends many of one name and size pays for them.
    private func same(_ sha256: [UInt8], _ byteCount: UInt64, among photos: [Photo]) async throws -> Photo? {
        var unreadCount = 0
        for photo in photos.reversed() where photo.byteCount == byteCount {
            if photo.sha256 == nil {
                unreadCount += 1
                guard unreadCount <= Self.mostUnread else { continue }
            }
            if try await digest(of: photo) == sha256 { return photo }
        }
        return nil
    }

    /// Of one that was not read back yet it is computed from the disk.
    private func digest(of photo: Photo) async throws -> [UInt8]? {
        if let known = photo.sha256 { return known }
        let original = try await tree.session.photos.original(photo.id)
        let digests = try RunningDigests([.sha256])
        var pieces = try original.pieces(0..<original.byteCount)
        while let piece = try await pieces.next() { try digests.update(piece) }
        return try digests.digest(.sha256)
    }

    /// The photo is safe, and its client is to find it at the address.
    /// - Parameters:
    ///   - isNew: whether the vault did not have it before.
    ///   - node: what stood there.
    private func noted(_ photo: Photo, isNew: Bool, at place: DAVPath, over node: DAVNode?) async throws -> Response {
        let entry: DAVMemory.Entry = isNew ? .photo(photo.id) : .link(photo.id)
        var (place, isReplaced) = (place, false)
        if place == path, case .photo(let former)? = node, former.id != photo.id {
            (place, isReplaced) = try await take(entry, over: former)
        } else if isNew || node == nil {
            // An answer that says otherwise would be wrong, whatever can be remembered of it.
            try? tree.memory.put(entry, at: place)
        }
        if place != path { tree.memory.noteSent(entry, to: path) }
        var response = saved(isNew && !isReplaced ? .created : .noContent, DAVNode.photo(photo).entityTag)
        if place != path { response.headers[.contentLocation] = place.href(isFolder: false) }
        return response
    }

    /// Puts what was sent in the place of another photo, if that is meant and still stands there; else beside it.
    private func take(_ entry: DAVMemory.Entry, over former: Photo) async throws -> (place: DAVPath, isReplaced: Bool) {
        if tree.sendsOnly {
            try await replacement.putAside(former)
            try tree.memory.put(entry, at: path)
            return (path, false)
        }
        let there = try await tree.node(at: path)
        if case .photo(let present)? = there, present.id == former.id, replacement.isMeant(over: former) {
            try await replacement.put(entry, over: former)
            return (path, true)
        }
        if case .link = entry {
            // It stands beside it already.
            tree.memory.noteSent(entry, to: path)
            return (path, false)
        }
        let isFree = if case .photo(let present)? = there { present.id == entry.photoID } else { there == nil }
        let place = isFree ? path : path.parent.appending(try await tree.freeName(for: path))
        try tree.memory.put(entry, at: place)
        return (place, false)
    }

    private var replacement: DAVReplacement { DAVReplacement(tree: tree, path: path) }

    private func saved(_ status: HTTPResponse.Status, _ tag: String?) -> Response {
        var response = Response(status: status)
        response.headers[.entityTag] = tag
        if announcedTime != nil { response.headers[.ownCloudTime] = "accepted" }
        return response
    }

    /// When the file was changed last, as the client says with it, or said of the file without a byte.
    private var modified: Date? {
        announcedTime ?? tree.memory.properties(at: path)[.win32LastModified].flatMap { UTCTime.parse($0) }
    }

    /// Seconds since 1970. Apps send empty ones, and milliseconds; a photo is not refused for its time.
    private var announcedTime: Date? {
        guard let seconds = request.headers[.ownCloudTime].flatMap(Double.init), seconds.magnitude < 253_402_300_800
        else {
            return nil
        }
        return Date(timeIntervalSince1970: seconds)
    }
}

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
