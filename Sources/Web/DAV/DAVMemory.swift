import Content
import FoundationEssentials
import Records
import Synchronization
import Vaults
import XML

/// What is remembered of a client for as long as its session lives: where it sees what it sent, folders that it made,
/// files that are not kept, locks and properties. It lies in memory alone and goes with the keys, and what it takes
/// counts among the lists of its neighbour. Photos themselves stand in the vault, whatever is forgotten here.
final class DAVMemory: Sendable {
    enum Entry: Sendable, Equatable {
        case folder(since: Date)
        /// Made without a byte, by clients that send the content afterwards.
        case empty(since: Date)
        /// What systems put beside files: it was taken in and thrown away.
        case forgotten(byteCount: UInt64, since: Date)
        /// A photo that the client brought or moved, by its id in this session.
        case photo(String)
        /// A photo that was there before, at another place: when it is deleted here, it stays there.
        case link(String)

        /// A file that is none in the vault.
        var isPlaceholder: Bool {
            switch self {
            case .empty, .forgotten: true
            case .folder, .photo, .link: false
            }
        }

        var isFolder: Bool { if case .folder = self { true } else { false } }

        var photoID: String? {
            switch self {
            case .photo(let id), .link(let id): id
            case .folder, .empty, .forgotten: nil
            }
        }
    }

    private struct State {
        var entries: [DAVPath: Entry] = [:]
        /// Those that are not folders, the oldest first; some may have gone.
        var order: [DAVPath] = []
        /// Files that are none, the oldest first, of a device with a door's code; some may have gone.
        var placeholders: [DAVPath] = []
        /// Places at which a photo is seen.
        var places: [String: Set<DAVPath>] = [:]
        /// What was sent to an address and stands at another: until its folder is looked at, the address means that.
        var sentElsewhere: [DAVPath: Entry] = [:]
        /// When folders were listed last, and photos that were looked at, by their addresses: what a client means that sends
        /// something else there.
        var listed: [DAVPath: Date] = [:]
        var looked: [DAVPath: String] = [:]
        /// Addresses to which somebody is sending.
        var arriving: Set<DAVPath> = []
        var locks = DAVLocks()
        /// What those took when one was added last.
        var lockByteCount = 0
        var properties: [DAVPath: [XMLName: String]] = [:]
        var propertyByteCount = 0
        /// Bytes for which the neighbour's share has room.
        var claimedByteCount = 0
        var usedByteCount = 0
    }

    /// Of one client at most; of more, what came first is forgotten.
    private static let mostSent = 1_000
    static let mostFiles = 50_000
    static let mostFolders = 5_000
    /// Of a device with a door's code, which has all of them in its listings.
    static let mostSharedPlaceholders = 1_000
    static let mostPropertyBytes = 1 << 20
    /// The same of a device with a door's code, which may list what it has said.
    static let mostSharedPropertyBytes = 128 << 10
    private static let bytesPerEntry = 256
    private static let claimStep = 64 << 10

    private let state = Mutex(State())
    private let claim: ListMemoryBudget.Claim
    /// Of a program that sends by a code that many share. It deletes nothing, so what it makes too many of gives way in the
    /// place of being refused.
    private let isShared: Bool

    init(claim: ListMemoryBudget.Claim, isShared: Bool = false) {
        self.claim = claim
        self.isShared = isShared
    }

    // MARK: Entries

    func entry(at path: DAVPath) -> Entry? { state.withLock { $0.entries[path] } }

    /// What was put directly into a folder, by name.
    func children(of folder: DAVPath) -> [(name: String, entry: Entry)] {
        let depth = folder.names.count + 1
        return state.withLock { state in
            state.entries.compactMap { path, entry in
                path.names.count == depth && path.isBelow(folder) ? (path.name, entry) : nil
            }
        }.sorted { $0.0 < $1.0 }
    }

    /// The names by which a client knows photos that stand directly in a folder, by their ids; of several the first. In an
    /// album a photo stands once; in the inbox a link stands beside what was there before.
    func names(in folder: DAVPath, withLinks: Bool) -> [String: String] {
        let known = children(of: folder).compactMap { name, entry -> (String, String)? in
            if case .link = entry, !withLinks { return nil }
            return entry.photoID.map { ($0, name) }
        }
        return Dictionary(known, uniquingKeysWith: { first, _ in first })
    }

    /// That of one photo, where it is asked for with each address.
    func name(of id: String, in folder: DAVPath, withLinks: Bool) -> String? {
        state.withLock { state in
            guard withLinks else { return state.places[id]?.filter { $0.parent == folder }.map(\.name).min() }
            return state.entries.filter { $0.value.photoID == id && $0.key.parent == folder }.map(\.key.name).min()
        }
    }

    /// Whether a client sees a photo by another address.
    /// - Parameter folder: the one in which that has to be; nil for any
    func isElsewhere(_ id: String, besides path: DAVPath, within folder: DAVPath? = nil) -> Bool {
        state.withLock { state in
            state.entries.contains {
                $0.value.photoID == id && $0.key != path && (folder == nil || $0.key.parent == folder)
            }
        }
    }

    /// Whether the client knows a photo by an address of its own.
    func hasPlace(_ id: String) -> Bool { state.withLock { $0.places[id] != nil } }

    /// - Throws: `tooMany`, `busy`.
    func put(_ entry: Entry, at path: DAVPath) throws {
        try state.withLock { state in
            if case .folder = entry, state.entries.count - state.order.count >= Self.mostFolders {
                guard isShared else { throw DAVRefusal.tooMany }
                Self.forgetFolders(&state)
            }
            try makeRoom(Self.cost(path), &state)
            let old = Self.remove(path, &state)
            state.sentElsewhere[path] = nil
            state.entries[path] = entry
            if case .photo(let id) = entry { state.places[id, default: []].insert(path) }
            if case .folder = entry { return }
            if old == nil { state.order.append(path) }
            if isShared, entry.isPlaceholder { Self.keep(placeholder: path, &state) }
            if state.order.count > Self.mostFiles {
                for old in state.order.prefix(Self.mostFiles / 10) { Self.remove(old, &state) }
                state.order.removeFirst(Self.mostFiles / 10)
            }
        }
    }

    /// Of too many, the oldest is forgotten: its client sends it again, or has sent the photo by then.
    private static func keep(placeholder path: DAVPath, _ state: inout State) {
        state.placeholders.append(path)
        guard state.placeholders.count > mostSharedPlaceholders else { return }
        let oldest = state.placeholders.removeFirst()
        guard oldest != path, state.entries[oldest]?.isPlaceholder == true else { return }
        remove(oldest, &state)
        if let place = state.order.firstIndex(of: oldest) { state.order.remove(at: place) }
    }

    /// - Returns: what stood there.
    @discardableResult
    func remove(_ path: DAVPath) -> Entry? {
        state.withLock { state in
            let entry = Self.remove(path, &state)
            if entry != nil { state.order.removeAll { $0 == path } }
            state.sentElsewhere[path] = nil
            Self.removeProperties(at: path, &state)
            return entry
        }
    }

    /// As above, of many places, in one pass over what is remembered.
    func remove(_ paths: [DAVPath]) {
        let gone = Set(paths)
        state.withLock { state in
            for path in gone {
                Self.remove(path, &state)
                state.sentElsewhere[path] = nil
                Self.removeProperties(at: path, &state)
            }
            state.order.removeAll(where: gone.contains)
        }
    }

    /// All that lies below a folder, deepest first.
    func tree(below folder: DAVPath) -> [(path: DAVPath, entry: Entry)] {
        state.withLock { state in
            state.entries.filter { $0.key.isBelow(folder) }.map { ($0.key, $0.value) }
        }.sorted { $0.0.names.count > $1.0.names.count }
    }

    /// Photos are no more, wherever they were seen. Links to them lead nowhere then.
    func forget(_ ids: some Sequence<String>) { remove(ids.flatMap(places)) }

    func places(of id: String) -> Set<DAVPath> { state.withLock { $0.places[id] ?? [] } }

    @discardableResult
    private static func remove(_ path: DAVPath, _ state: inout State) -> Entry? {
        guard let entry = state.entries.removeValue(forKey: path) else { return nil }
        state.usedByteCount -= cost(path)
        if case .photo(let id) = entry {
            state.places[id]?.remove(path)
            if state.places[id]?.isEmpty == true { state.places[id] = nil }
        }
        return entry
    }

    /// Those in which no photo is, else all: they are made again for what is sent into them.
    private static func forgetFolders(_ state: inout State) {
        var kept: Set<DAVPath> = []
        for (path, entry) in state.entries where entry.photoID != nil {
            var folder = path.parent
            while !folder.isRoot, kept.insert(folder).inserted { folder = folder.parent }
        }
        let folders = state.entries.filter(\.value.isFolder).keys
        let gone = folders.filter { !kept.contains($0) }
        for folder in gone.isEmpty ? Array(folders) : gone {
            remove(folder, &state)
            removeProperties(at: folder, &state)
        }
    }

    private static func cost(_ path: DAVPath) -> Int {
        path.names.reduce(bytesPerEntry) { $0 + $1.utf8.count }
    }

    private func makeRoom(_ byteCount: Int, _ state: inout State) throws(VaultError) {
        let missing = state.usedByteCount + byteCount - state.claimedByteCount
        if missing > 0 {
            try claim.grow(by: missing + Self.claimStep)
            state.claimedByteCount += missing + Self.claimStep
        }
        state.usedByteCount += byteCount
    }

    // MARK: What goes on

    /// Notes that somebody sends to that address, unless somebody does.
    func beginArrival(at path: DAVPath) -> Bool { state.withLock { $0.arriving.insert(path).inserted } }
    func isArriving(at path: DAVPath) -> Bool { state.withLock { $0.arriving.contains(path) } }
    func endArrival(at path: DAVPath) { state.withLock { _ = $0.arriving.remove(path) } }

    /// What the client sent to that address stands under another name, or stood there before.
    func noteSent(_ photo: Entry, to path: DAVPath) {
        state.withLock { state in
            if state.sentElsewhere.count >= Self.mostSent { state.sentElsewhere = [:] }
            state.sentElsewhere[path] = photo
        }
    }

    func sentElsewhere(to path: DAVPath) -> Entry? { state.withLock { $0.sentElsewhere[path] } }

    func endSent(to path: DAVPath) { state.withLock { $0.sentElsewhere[path] = nil } }

    /// The client has seen under which names all stands in a folder.
    func noteListing(of folder: DAVPath) {
        state.withLock { state in
            if state.listed.count >= Self.mostSent { state.listed = [:] }
            state.listed[folder] = .now
            state.sentElsewhere = state.sentElsewhere.filter { $0.key.parent != folder }
        }
    }

    /// The client has looked at that photo, or taken it, at that address.
    func noteLook(at path: DAVPath, _ id: String) {
        guard !isShared else { return }
        state.withLock { state in
            if state.looked.count >= Self.mostSent { state.looked = [:] }
            state.looked[path] = id
        }
    }

    /// Whether the client knows that this photo stands there: it sent it, looked at it, or listed the folder since.
    func hasSeen(_ id: String, at path: DAVPath, since arrival: Date) -> Bool {
        state.withLock { state in
            state.entries[path] != nil || state.looked[path] == id
                || state.listed[path.parent].map { $0 >= arrival } == true
        }
    }

    // MARK: Locks

    func withLocks<Result>(_ body: (inout DAVLocks) throws -> Result) rethrows -> Result {
        try state.withLock { state in
            state.locks.forgetOld(.now)
            return try body(&state.locks)
        }
    }

    /// As `withLocks`, for what makes one: what it takes is made room for, as for all that is remembered.
    /// - Throws: `busy`, and what `body` throws. Nothing was added then.
    func addLock(_ body: (inout DAVLocks) throws -> Void) throws {
        try state.withLock { state in
            state.locks.forgetOld(.now)
            var locks = state.locks
            try body(&locks)
            try settle(locks.byteCount, &state)
            state.locks = locks
        }
    }

    /// Those that have gone meanwhile give their room back.
    private func settle(_ byteCount: Int, _ state: inout State) throws(VaultError) {
        try makeRoom(byteCount - state.lockByteCount, &state)
        state.lockByteCount = byteCount
    }

    // MARK: Properties

    func properties(at path: DAVPath) -> [XMLName: String] { state.withLock { $0.properties[path] ?? [:] } }

    /// - Parameter value: XML; nil takes it away.
    /// - Throws: `tooMany`, `busy`.
    func setProperty(_ name: XMLName, _ value: String?, at path: DAVPath) throws {
        try state.withLock { state in
            let count = Self.cost(name, value)
            let most = isShared ? Self.mostSharedPropertyBytes : Self.mostPropertyBytes
            if isShared, state.propertyByteCount + count > most {
                for path in Array(state.properties.keys) { Self.removeProperties(at: path, &state) }
            }
            let old = Self.cost(name, state.properties[path]?[name])
            guard state.propertyByteCount + count <= most else { throw DAVRefusal.tooMany }
            try makeRoom(count, &state)
            state.properties[path, default: [:]][name] = value
            if state.properties[path]?.isEmpty == true { state.properties[path] = nil }
            state.propertyByteCount += count - old
            state.usedByteCount -= old
        }
    }

    private static func cost(_ name: XMLName, _ value: String?) -> Int {
        value.map { name.namespace.utf8.count + name.local.utf8.count + $0.utf8.count + bytesPerEntry } ?? 0
    }

    func copyProperties(from old: DAVPath, to new: DAVPath) throws {
        for (name, value) in properties(at: old) { try setProperty(name, value, at: new) }
    }

    private static func removeProperties(at path: DAVPath, _ state: inout State) {
        guard let gone = state.properties.removeValue(forKey: path) else { return }
        let byteCount = gone.reduce(0) { $0 + cost($1.key, $1.value) }
        state.propertyByteCount -= byteCount
        state.usedByteCount -= byteCount
    }
}
