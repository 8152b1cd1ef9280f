import Synchronization

/// Photos of a session that can be fetched as one file, as often as somebody likes, until nobody has for a while.
package final class Archive: Sendable {
    private struct State {
        var lastUsed: ContinuousClock.Instant
        var serials: [UInt64]
        var checksums: [Int: UInt32] = [:]
        var layout: String?
    }

    static let patience: Duration = .seconds(600)

    private let state: Mutex<State>

    init(_ serials: [UInt64], now: ContinuousClock.Instant) {
        state = Mutex(State(lastUsed: now, serials: serials))
    }

    var serials: [UInt64] { state.withLock(\.serials) }

    /// - Returns: false once it was fetched: it has to stay what it was then.
    func add(_ more: [UInt64]) -> Bool {
        state.withLock { state in
            guard state.layout == nil else { return false }
            var known = Set(state.serials)
            state.serials += more.filter { known.insert($0).inserted }
            return true
        }
    }

    func isOver(at now: ContinuousClock.Instant) -> Bool { state.withLock { now - $0.lastUsed >= Self.patience } }
    var lastUsed: ContinuousClock.Instant { state.withLock(\.lastUsed) }
    func touch(_ now: ContinuousClock.Instant) { state.withLock { $0.lastUsed = now } }

    /// What was found out about the content of a photo, by its place in the archive, so that whoever goes on with a
    /// broken download does not wait for all of it again.
    package func checksum(at place: Int) -> UInt32? { state.withLock { $0.checksums[place] } }
    package func note(_ checksum: UInt32, at place: Int) { state.withLock { $0.checksums[place] = checksum } }

    /// Whether the archive still is what it was when it was first fetched: a photo may have been deleted for good since,
    /// and parts of two archives must not be put together.
    package func isUnchanged(_ layout: String) -> Bool {
        state.withLock { state in
            if state.layout == nil { state.layout = layout }
            return state.layout == layout
        }
    }
}
