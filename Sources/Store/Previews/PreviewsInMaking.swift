import Synchronization

/// Previews that somebody is making: a deletion that comes in the meantime stays on the ledger's list until they are
/// put, so that none is left behind by a crash in between.
final class PreviewsInMaking: Sendable {
    private struct State {
        var counts: [PreviewID: Int] = [:]
        /// On the list while they are being made.
        var doomed: Set<PreviewID> = []
    }

    private let state = Mutex(State())

    func begin(_ ids: [PreviewID]) {
        state.withLock { state in for id in ids { state.counts[id, default: 0] += 1 } }
    }

    /// - Returns: whether one of them is to be removed now.
    func end(_ ids: [PreviewID]) -> Bool {
        state.withLock { state in
            var isDoomed = false
            for id in ids {
                let left = (state.counts[id] ?? 1) - 1
                state.counts[id] = left > 0 ? left : nil
                if left == 0, state.doomed.remove(id) != nil { isDoomed = true }
            }
            return isDoomed
        }
    }

    /// Whether it is being made; then `end` tells whoever does that it is to be removed.
    func postpone(_ id: PreviewID) -> Bool {
        state.withLock { state in
            guard state.counts[id] != nil else { return false }
            state.doomed.insert(id)
            return true
        }
    }
}
