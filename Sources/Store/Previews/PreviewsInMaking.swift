import Synchronization

/// Previews that somebody is making: a deletion that comes in the meantime stays on the ledger's list until they are
/// put, so that none is left behind by a crash in between.
final class PreviewsInMaking: Sendable {
    private let counts = Mutex<[PreviewID: Int]>([:])

    func begin(_ ids: [PreviewID]) {
        counts.withLock { counts in for id in ids { counts[id, default: 0] += 1 } }
    }

    func end(_ ids: [PreviewID]) {
        counts.withLock { counts in
            for id in ids {
                let left = (counts[id] ?? 1) - 1
                counts[id] = left > 0 ? left : nil
            }
        }
    }

    func contains(_ id: PreviewID) -> Bool { counts.withLock { $0[id] != nil } }
}
