import Bytes
import FoundationEssentials
import Records
import Vault
import Vaults

/// What stands at a place of the tree.
enum DAVNode: Sendable {
    enum Folder: Sendable, Equatable {
        case root
        case inbox
        case byDate
        case year(String)
        case month(CalendarMonth)
        case albums
        case album(AlbumFolder)
        /// One that the client made.
        case made(since: Date)
    }

    case folder(Folder)
    case photo(Photo)
    case empty(since: Date)
    case forgotten(byteCount: UInt64, since: Date)
    /// What the same code sent, and the vault has taken.
    case taken(SentThroughDoors.Sent)

    var isFolder: Bool { if case .folder = self { true } else { false } }

    /// The same as long as the bytes are; like no other's at the same address.
    var entityTag: String? {
        switch self {
        case .folder: nil
        case .photo(let photo): Self.tag(photo.receivedAt, photo.byteCount)
        case .empty(let since): Self.tag(since, 0)
        case .forgotten(let byteCount, let since): Self.tag(since, byteCount)
        case .taken(let sent): Self.tag(Milliseconds.date(sent.receivedAt), sent.byteCount)
        }
    }

    private static func tag(_ date: Date, _ byteCount: UInt64) -> String {
        "\"\(String(Milliseconds.from(date), radix: 16))-\(String(byteCount, radix: 16))\""
    }
}

/// The tree as one session sees it: what the vault has, and what its client was promised.
struct DAVTree: Sendable {
    static let inbox = DAVPath(["inbox"])
    static let byDate = DAVPath(["by-date"])
    /// What came within that time stands in the inbox.
    private static let arrivalMilliseconds: UInt64 = 86_400_000
    /// Files of one name that are compared with what comes. Of more, one that comes again is found as any other is whose
    /// content is there.
    static let mostNamesakes = 64

    let session: Session
    let memory: DAVMemory
    /// What the request may take.
    let allowance: Allowance
    /// Of who sends with a door's code: what the vault has taken of it. Asked after what stands in the space, from where it
    /// is taken while it is looked at.
    var taken: [SentThroughDoors.Sent] { session.door?.takenLately ?? [] }

    /// What the session's client has been told is remembered with the session.
    init(_ session: Session, from allowance: Allowance) throws {
        self.session = session
        self.allowance = allowance
        let memory = try session.companion {
            DAVMemory(claim: session.listClaim(), isShared: session.kind == .sender)
        }
        self.memory = memory
        session.whenAskedForPlaces { [weak memory] id in
            memory?.places(of: id).first { $0.isBelow(Self.inbox) }.map { Array($0.names.dropFirst()) }
        }
    }

    /// Nil where nothing stands.
    func node(at path: DAVPath) async throws -> DAVNode? {
        if path.isRoot { return .folder(.root) }
        if let entry = memory.entry(at: path) {
            if let node = try await node(of: entry, in: try await album(holding: path)) { return node }
            memory.remove(path)
        }
        switch (path.names[0], path.names.count) {
        case ("inbox", 1): return .folder(.inbox)
        case ("inbox", 2):
            return try await file(at: path, in: arrivals).map { .photo($0) } ?? takenNode(at: path)
        case ("by-date", 1): return .folder(.byDate)
        case ("by-date", 2): return try await years().contains(path.name) ? .folder(.year(path.name)) : nil
        case ("by-date", 3): return try await month(at: path).map { .folder(.month($0)) }
        case ("by-date", 4):
            guard let month = CalendarMonth(text: path.names[2]), month.text.hasPrefix(path.names[1] + "-") else {
                return nil
            }
            return try await session.files.file(shown: path.name, in: .month(month)).map { .photo($0) }
        case ("albums", 1): return .folder(.albums)
        case ("albums", 2): return try await session.files.album(shown: path.name).map { .folder(.album($0)) }
        case ("albums", 3):
            guard let album = try await album(holding: path) else { return nil }
            return try await file(at: path, in: album.files).map { .photo($0) }
        default: return takenNode(at: path)
        }
    }

    /// What the vault shows by that name, among photos that stand there by names of their client's. One of those leaves the
    /// name that the vault would give it to the photo whose name it has taken.
    private func file(at path: DAVPath, in folder: FileFolder) async throws -> Photo? {
        var name = path.name
        var seen: Set<String> = []
        while seen.insert(name).inserted, let photo = try await session.files.file(shown: name, in: folder) {
            let isInbox = path.parent == Self.inbox
            guard let own = memory.name(of: photo.id, in: path.parent, withLinks: !isInbox) else {
                return isInbox && memory.hasPlace(photo.id) ? nil : photo
            }
            name = own
        }
        return nil
    }

    /// - Parameter album: that in which it has to be.
    func node(of entry: DAVMemory.Entry, in album: AlbumFolder? = nil) async throws -> DAVNode? {
        switch entry {
        case .folder(let since): .folder(.made(since: since))
        case .empty(let since): .empty(since: since)
        case .forgotten(let byteCount, let since): .forgotten(byteCount: byteCount, since: since)
        case .photo(let id), .link(let id):
            if let album {
                try await session.files.photo(id, in: album).map { .photo($0) }
            } else {
                try await session.files.photo(id).map { .photo($0) }
            }
        }
    }

    /// What stands directly in a folder, handed out in parts, so that a large one is never in memory as a whole.
    func forEachChild(
        of folder: DAVNode.Folder, at path: DAVPath, _ body: ([(path: DAVPath, node: DAVNode)]) async throws -> Void
    ) async throws {
        var names: Set<String> = []
        try await forEachPresentChild(of: folder, at: path) { children in
            if sendsOnly { names.formUnion(children.map(\.path.name)) }
            try await body(children)
        }
        try await body(takenChildren(of: path, besides: names))
    }

    private func forEachPresentChild(
        of folder: DAVNode.Folder, at path: DAVPath, _ body: ([(path: DAVPath, node: DAVNode)]) async throws -> Void
    ) async throws {
        switch folder {
        case .root where sendsOnly: try await body([(Self.inbox, .folder(.inbox))])
        case .root:
            try await body([
                (Self.inbox, .folder(.inbox)), (Self.byDate, .folder(.byDate)), (Self.albums, .folder(.albums)),
            ])
        case .byDate: try await body(try await years().map { (path.appending($0), .folder(.year($0))) })
        case .year(let year):
            let months = try await session.files.months().filter { $0.text.hasPrefix(year + "-") }
            try await body(months.map { (path.appending($0.text), .folder(.month($0))) })
        case .month(let month): try await forEachFile(in: .month(month), at: path, body)
        case .inbox: try await forEachFile(in: arrivals, at: path, body)
        case .albums:
            try await body(try await session.files.albums().map { (path.appending($0.name), .folder(.album($0))) })
        case .album(let album): try await forEachFile(in: album.files, at: path, body)
        case .made: break
        }
        let album: AlbumFolder? = if case .album(let album) = folder { album } else { nil }
        var made: [(path: DAVPath, node: DAVNode)] = []
        for (name, entry) in memory.children(of: path) {
            guard let node = try await node(of: entry, in: album) else { continue }
            made.append((path.appending(name), node))
        }
        try await body(made)
    }

    private func forEachFile(
        in folder: FileFolder, at path: DAVPath, _ body: ([(path: DAVPath, node: DAVNode)]) async throws -> Void
    ) async throws {
        let isInbox = path == Self.inbox
        // They stand by the names that their client gave them.
        let known =
            isInbox || path.isBelow(Self.albums) ? memory.names(in: path, withLinks: !isInbox) : [:]
        // Names that photos have left by that, by those that they have taken; and whose those were.
        var (left, displaced): ([String: String], [(name: String, photo: Photo)]) = ([:], [])
        var place: FilePlace?
        repeat {
            let page = try await session.files.page(of: folder, behind: place)
            var shown: [(path: DAVPath, node: DAVNode)] = []
            for (name, photo) in page.files {
                if let own = known[photo.id] {
                    left[own] = name
                } else if isInbox, memory.hasPlace(photo.id) {
                    continue
                } else if memory.entry(at: path.appending(name)) == nil {
                    shown.append((path.appending(name), .photo(photo)))
                } else {
                    displaced.append((name, photo))
                }
            }
            try await body(shown)
            place = page.next
        } while place != nil
        try await body(
            displaced.compactMap { name, photo in
                var free = name
                while memory.entry(at: path.appending(free)) != nil {
                    guard let next = left.removeValue(forKey: free) else { return nil }
                    free = next
                }
                return (path.appending(free), .photo(photo))
            })
    }

    var arrivals: FileFolder {
        .arrivals(since: Milliseconds.now - min(Milliseconds.now, Self.arrivalMilliseconds))
    }

    private func years() async throws -> [String] {
        var years: [String] = []
        for month in try await session.files.months() {
            let year = String(month.text.prefix { $0 != "-" })
            if years.last != year { years.append(year) }
        }
        return years
    }

    private func month(at path: DAVPath) async throws -> CalendarMonth? {
        guard let month = CalendarMonth(text: path.name), month.text.hasPrefix(path.names[1] + "-") else { return nil }
        return try await session.files.months().contains(month) ? month : nil
    }

    // MARK: Where something may stand

    /// Whether a client may make, take away and move things there.
    static func isWritable(_ path: DAVPath) -> Bool { path.isBelow(inbox) || path.isBelow(albums) }

    /// The name under which a file is stored that was sent to an address: that of the address, or with a number where it
    /// is taken. Numbers follow each other, so that the end of thousands is found in a few steps.
    func freeName(for path: DAVPath) async throws -> String {
        var (taken, free) = (1, 2)
        while try await !isFree(free, path) {
            guard free < FileNumbering.highest else { throw DAVRefusal.tooMany }
            (taken, free) = (free, min(2 * free, FileNumbering.highest))
        }
        while free - taken > 1 {
            let middle = (taken + free) / 2
            if try await isFree(middle, path) { free = middle } else { taken = middle }
        }
        return FileNumbering.name(path.name, free)
    }

    private func isFree(_ number: Int, _ path: DAVPath) async throws -> Bool {
        try allowance.take(.rows, 1)
        let place = path.parent.appending(FileNumbering.name(path.name, number))
        return try await node(at: place) == nil && !memory.isArriving(at: place)
    }

    /// Files that the address may mean: that of the name, and the first of those with a number behind it.
    /// - Parameter stored: whatever their client sees at other addresses.
    func namesakes(of path: DAVPath, stored: Bool = false) async throws -> [Photo] {
        var photos: [Photo] = []
        for number in 1...Self.mostNamesakes {
            try allowance.take(.rows, 1)
            let name = FileNumbering.name(path.name, number)
            if stored {
                guard let photo = try await session.files.file(shown: name, in: arrivals) else { return photos }
                photos.append(photo)
                continue
            }
            switch try await node(at: path.parent.appending(name)) {
            case .photo(let photo): photos.append(photo)
            case nil: return photos
            default: break
            }
        }
        return photos
    }
}

/// What systems put beside files for themselves, and what nobody would miss: it is no photo, and none is made of it.
enum SystemFiles {
    private static let names: Set = [".ds_store", "thumbs.db", "desktop.ini", ".localized", "ehthumbs.db"]

    static func contain(_ name: String) -> Bool { name.hasPrefix("._") || names.contains(name.lowercased()) }
}

/// Albums as folders, and folders as albums.
extension DAVTree {
    static let albums = DAVPath(["albums"])

    /// The same place by the name that its album has: albums do not differ by letter case, and what is remembered of a
    /// place, locks too, has to be found by either.
    func canonical(_ path: DAVPath) async throws -> DAVPath {
        guard path.isBelow(Self.albums), let album = try await session.files.album(shown: path.names[1]) else {
            return path
        }
        var path = path
        path.names[1] = album.name
        return path
    }

    /// The album directly in which a place is; nil for one elsewhere, and where there is no such album.
    func album(holding path: DAVPath) async throws -> AlbumFolder? {
        guard path.isBelow(Self.albums), path.names.count == 3 else { return nil }
        return try await session.files.album(shown: path.names[1])
    }

    /// The name of the album that a photo joins there: that of the folder, as a client chose it. Folders of the vault's
    /// own, such as months, name none.
    func albumName(at path: DAVPath) async throws -> AlbumName? {
        if let album = try await album(holding: path) { return album.albumName }
        // What comes through a door is in the album of that.
        guard !sendsOnly, path.isBelow(Self.inbox), path.names.count > 2 else { return nil }
        return try? AlbumName.ofFolder(Array(path.names[1..<path.names.count - 1]))
    }
}
