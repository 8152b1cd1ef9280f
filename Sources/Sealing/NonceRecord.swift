#if DEBUG
import Synchronization

/// In debug builds a test can ask for proof of the rule of nonces: under one key, no nonce is used twice.
package enum NonceRecord {
    private struct Seen {
        var pairs: Set<[UInt8]> = []
        var repeated = 0
    }

    private static let isOn = Atomic(false)
    private static let seen = Mutex(Seen())

    /// From now on every sealed chunk counts.
    package static func start() { isOn.store(true, ordering: .releasing) }

    /// So far: distinct pairs, and chunks sealed under a pair that was used before.
    package static var counts: (pairs: Int, repeated: Int) {
        seen.withLock { ($0.pairs.count, $0.repeated) }
    }

    /// Whether anybody asks.
    static var isKept: Bool { isOn.load(ordering: .acquiring) }

    /// - Parameter pair: a digest of the key, then the nonce.
    static func note(_ pair: [UInt8]) {
        seen.withLock { seen in
            if !seen.pairs.insert(pair).inserted { seen.repeated += 1 }
        }
    }
}
#endif
