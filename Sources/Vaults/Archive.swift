import Content
import Records
import Synchronization
import Threads

/// Photos of a session that can be fetched as one file, as often as somebody likes, until nobody has for a while.
package final class Archive: Sendable {
    private struct State {
        var lastUsed: ContinuousClock.Instant
        var serials: [UInt64] = []
        /// By place; made when the first one is known.
        var checksums: [UInt32?] = []
        var layout: String?
        weak var contents: (any AnyObject & Sendable)?
        /// The listing of photos when the contents were put together.
        var listing: UInt64?
    }

    static let patience: Duration = .seconds(600)
    /// What is remembered of each photo, in bytes: its serial, and its checksum.
    private static let byteCountPerPhoto = 16

    private let state: Mutex<State>
    let claim: ListMemoryBudget.Claim
    private let making = AsyncLock()

    /// - Throws: `busy` where archives have taken all the memory that there is for them.
    init(_ serials: [UInt64], claim: ListMemoryBudget.Claim, now: ContinuousClock.Instant) throws(VaultError) {
        try claim.grow(by: serials.count * Self.byteCountPerPhoto, mayBeAlone: true)
        self.claim = claim
        state = Mutex(State(lastUsed: now, serials: serials))
    }

    var serials: [UInt64] { state.withLock(\.serials) }

    /// - Returns: false once it was fetched: it has to stay what it was then.
    /// - Throws: `busy`; nothing is added then.
    func add(_ more: [UInt64]) throws(VaultError) -> Bool {
        try state.withLock { state throws(VaultError) in
            guard state.layout == nil else { return false }
            var known = Set(state.serials)
            let new = more.filter { known.insert($0).inserted }
            try claim.grow(by: new.count * Self.byteCountPerPhoto, mayBeAlone: true)
            state.serials += new
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
            if state.checksums.isEmpty { state.checksums = Array(repeating: nil, count: state.serials.count) }
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
