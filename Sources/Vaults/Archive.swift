import Content
import Records
import Synchronization
import Threads

/// A photo in an archive.
struct ArchiveEntry: Hashable, Sendable {
    let serial: UInt64
    /// Which folder of the archive it is in; nil for none.
    var folder: Int?
}

/// Photos of a session that can be fetched as one file, as often as somebody likes, until nobody has for a while.
package final class Archive: Sendable {
    private struct State {
        var lastUsed: ContinuousClock.Instant
        var entries: [ArchiveEntry] = []
        /// By place; made when the first one is known.
        var checksums: [UInt32?] = []
        var layout: String?
        weak var contents: (any AnyObject & Sendable)?
        /// The listing of photos when the contents were put together.
        var listing: UInt64?
    }

    static let patience: Duration = .seconds(600)
    /// What is remembered of each photo, in bytes: its serial, its folder, and its checksum.
    private static let byteCountPerPhoto = 32

    private let state: Mutex<State>
    let claim: ListMemoryBudget.Claim
    /// What is offered as its name, where it is one album; nil for a selection.
    package let name: String?
    /// Names of its folders, as `ArchiveEntry` counts them.
    let folders: [String]
    private let making = AsyncLock()

    /// - Throws: `busy` where archives have taken all the memory that there is for them.
    init(_ contents: ArchiveSelection, claim: ListMemoryBudget.Claim, now: ContinuousClock.Instant) throws(VaultError) {
        try claim.grow(by: contents.entries.count * Self.byteCountPerPhoto, mayBeAlone: true)
        self.claim = claim
        name = contents.name
        folders = contents.folders
        state = Mutex(State(lastUsed: now, entries: contents.entries))
    }

    var entries: [ArchiveEntry] { state.withLock(\.entries) }

    /// - Returns: false once it was fetched: it has to stay what it was then.
    /// - Throws: `busy`; nothing is added then.
    func add(_ more: [ArchiveEntry]) throws(VaultError) -> Bool {
        try state.withLock { state throws(VaultError) in
            guard state.layout == nil else { return false }
            var known = Set(state.entries)
            let new = more.filter { known.insert($0).inserted }
            try claim.grow(by: new.count * Self.byteCountPerPhoto, mayBeAlone: true)
            state.entries += new
            return true
        }
    }

    func isOver(at now: ContinuousClock.Instant) -> Bool { state.withLock { now - $0.lastUsed >= Self.patience } }
    var lastUsed: ContinuousClock.Instant { state.withLock(\.lastUsed) }
    func touch(_ now: ContinuousClock.Instant) { state.withLock { $0.lastUsed = now } }

    /// What was found out about the content of a photo, by its place in the archive, so that whoever goes on with a
    /// broken download does not wait for all of it again.
    package func checksum(at place: Int) -> UInt32? {
        state.withLock { $0.checksums.indices.contains(place) ? $0.checksums[place] : nil }
    }

    package func note(_ checksum: UInt32, at place: Int) {
        state.withLock { state in
            if state.checksums.isEmpty { state.checksums = Array(repeating: nil, count: state.entries.count) }
            if state.checksums.indices.contains(place) { state.checksums[place] = checksum }
        }
    }

    /// Whether the archive still is what it was when it was first fetched: a photo may have been deleted for good since,
    /// and parts of two archives must not be put together.
    package func isUnchanged(_ layout: String) -> Bool {
        state.withLock { state in
            if state.layout == nil { state.layout = layout }
            return state.layout == layout
        }
    }

    /// What is put together of it for a download. Those that run at the same time share it, while what is listed is the
    /// same: many parts asked for at once take no more memory than one.
    package func contents<Contents: AnyObject & Sendable>(
        at listing: UInt64?, _ make: () async throws -> Contents
    ) async throws -> Contents {
        await making.acquire()
        defer { making.release() }
        let known = state.withLock { $0.listing == listing ? $0.contents : nil }
        if let known = known as? Contents { return known }
        let made = try await make()
        state.withLock { state in
            state.contents = made
            state.listing = listing
        }
        return made
    }
}
