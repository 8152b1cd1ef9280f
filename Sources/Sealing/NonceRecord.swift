#if DEBUG
import Glibc
import Synchronization

/// In debug builds a test can ask for proof of the rule of nonces: under one key, no nonce is used twice. A test of this
/// process looks at `counts`. One that kills and restarts daemons names a file in `SAFELIGHT_NONCE_RECORD`, to which
/// each of them adds 16 bytes for every chunk, before it is sealed: of SHA-256(SHA-256(key) ‖ nonce), so that the file
/// gives no key away. No 16 bytes may stand there twice.
package enum NonceRecord {
    private struct Seen {
        var pairs: Set<[UInt8]> = []
        var repeated = 0
    }

    private static let environmentName = "SAFELIGHT_NONCE_RECORD"
    private static let entryByteCount = 16
    private static let isOn = Atomic(false)
    private static let seen = Mutex(Seen())
    private static let path = getenv(environmentName).map { String(cString: $0) }
    /// Nil without a path; negative where the file cannot be opened.
    private static let descriptor = path.map { open($0, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600) }

    /// From now on every sealed chunk counts.
    package static func start() { isOn.store(true, ordering: .releasing) }

    /// So far: distinct pairs, and chunks sealed under a pair that was used before.
    package static var counts: (pairs: Int, repeated: Int) {
        seen.withLock { ($0.pairs.count, $0.repeated) }
    }

    /// Whether anybody asks.
    static var isKept: Bool { path != nil || isOn.load(ordering: .acquiring) }

    /// - Parameter pair: a digest of the key, then the nonce.
    /// - Throws: when the file does not take it: nothing may be sealed then, or the record would prove nothing.
    static func note(_ pair: [UInt8]) throws {
        let entry = Array(try SHA256Hasher.hash(pair).prefix(entryByteCount))
        if let descriptor { try append(entry, to: descriptor) }
        guard isOn.load(ordering: .acquiring) else { return }
        seen.withLock { seen in
            if !seen.pairs.insert(entry).inserted { seen.repeated += 1 }
        }
    }

    /// One call for each entry: then it stands there whole or not at all, even if the process is killed.
    private static func append(_ entry: [UInt8], to descriptor: Int32) throws {
        guard write(descriptor, entry, entry.count) == entry.count else {
            throw SealingError.cryptographyFailed(environmentName)
        }
    }
}
#endif
