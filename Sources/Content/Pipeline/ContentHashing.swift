import Sealing

/// Whether the bytes of an upload are hashed on their way, and how. SHA-256 is slower than the cipher here, so it is
/// done only where somebody asked for it, or where the content is likely to be there already.
package struct ContentHashing: Sendable {
    package enum Demand: Sendable {
        case none
        case sha256
        case sha1
        /// SHA-256, if this says so of the digest of the first 4 KiB.
        case sha256IfLikely(@Sendable (_ firstPartDigest: [UInt8]) throws -> Bool)
    }

    private let demand: Demand
    private var running: RunningHash?

    package init(_ demand: Demand = .none) throws {
        self.demand = demand
        switch demand {
        case .sha256: running = try RunningHash(.sha256)
        case .sha1: running = try RunningHash(.sha1)
        case .none, .sha256IfLikely: running = nil
        }
    }

    package init() {
        demand = .none
        running = nil
    }

    /// - Parameter firstPartDigest: of the first 4 KiB of the content, or of all of it.
    package mutating func begin(_ firstPartDigest: [UInt8]) throws {
        guard case .sha256IfLikely(let isLikely) = demand, try isLikely(firstPartDigest) else { return }
        running = try RunningHash(.sha256)
    }

    package func update(_ segment: SegmentBuffer) throws {
        guard let running else { return }
        try segment.forEachContent { try running.update($0) }
    }

    /// Nil when nothing was hashed.
    package mutating func take() throws -> [UInt8]? {
        defer { running = nil }
        return try running?.finish()
    }
}

/// `@unchecked Sendable`: its lane uses it in one pool job at a time.
private final class RunningHash: @unchecked Sendable {
    enum Algorithm {
        case sha256
        case sha1
    }

    private var sha256: SHA256Hasher?
    private var sha1: SHA1Hasher?

    init(_ algorithm: Algorithm) throws {
        switch algorithm {
        case .sha256: sha256 = try SHA256Hasher()
        case .sha1: sha1 = try SHA1Hasher()
        }
    }

    func update(_ bytes: UnsafeRawBufferPointer) throws {
        try sha256?.update(bytes)
        try sha1?.update(bytes)
    }

    func finish() throws -> [UInt8]? {
        if let sha256 = sha256.take() { return try sha256.finalize() }
        if let sha1 = sha1.take() { return try sha1.finalize() }
        return nil
    }
}
