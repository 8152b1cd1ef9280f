import Records
import Sealing

/// What the re-read of a photo's whole content gives.
package struct ContentDigests: Equatable, Sendable {
    package static let pieceByteCount: UInt64 = 8 << 20

    package var sha256: [UInt8]
    /// For content of more than one piece: SHA-256 over the SHA-256s of all pieces.
    package var tree: [UInt8]?
    package var ends: [UInt8]?

    /// What is kept to answer for the first and the last piece: SHA-256 over their SHA-256s.
    package static func ends(first: [UInt8], last: [UInt8]) throws -> [UInt8] { try SHA256Hasher.hash(first + last) }
}

/// Computes the digests of content that comes piece by piece, front to back.
package struct ContentHasher: ~Copyable, Sendable {
    private var whole: SHA256Hasher?
    private var piece: SHA256Hasher?
    private var pieceDigests: [[UInt8]] = []
    private var pieceRoom = ContentDigests.pieceByteCount
    /// Content of one piece is hashed once only.
    private let hasPieces: Bool

    package init(byteCount: UInt64) throws {
        let whole = try SHA256Hasher()
        let piece = try SHA256Hasher()
        self.whole = consume whole
        self.piece = consume piece
        hasPieces = byteCount > ContentDigests.pieceByteCount
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) throws {
        try whole?.update(bytes)
        guard hasPieces else { return }
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(Int(clamping: pieceRoom))
            try piece?.update(UnsafeRawBufferPointer(rebasing: part))
            rest = rest.dropFirst(part.count)
            pieceRoom -= UInt64(part.count)
            if pieceRoom == 0 { try closePiece() }
        }
    }

    package mutating func finalize() throws -> ContentDigests {
        if hasPieces, pieceRoom < ContentDigests.pieceByteCount { try closePiece() }
        guard let sha256 = try whole.take()?.finalize() else {
            throw VaultError.internalFailure("a hash that was taken twice")
        }
        guard let first = pieceDigests.first, let last = pieceDigests.last else {
            return ContentDigests(sha256: sha256)
        }
        return ContentDigests(
            sha256: sha256, tree: try SHA256Hasher.hash(pieceDigests.flatMap { $0 }),
            ends: try ContentDigests.ends(first: first, last: last))
    }

    private mutating func closePiece() throws {
        guard let closed = piece.take() else { return }
        pieceDigests.append(try closed.finalize())
        piece = try SHA256Hasher()
        pieceRoom = ContentDigests.pieceByteCount
    }
}

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
        return try running?.current()
    }
}

/// `@unchecked Sendable`: a lane uses it in one pool job at a time, or whoever receives the bytes, piece after piece.
private final class RunningHash: @unchecked Sendable {
    private var hasher: AnnouncedHasher

    init(_ algorithm: DigestAlgorithm) throws {
        hasher = try algorithm.hasher()
    }

    func update(_ bytes: UnsafeRawBufferPointer) throws {
        try hasher.update(bytes)
    }

    func current() throws -> [UInt8] { try hasher.current() }
}

/// What senders announce the digests of their bytes by; the words are those of RFC 9530 and, for the older two, of tus.
package enum DigestAlgorithm: String, CaseIterable, Sendable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"
    case sha1 = "sha1"
    case md5 = "md5"

    /// Of a digest.
    package var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        case .sha1: 20
        case .md5: 16
        }
    }

    fileprivate func hasher() throws -> AnnouncedHasher {
        switch self {
        case .sha256: try .sha256()
        case .sha512: try .sha512()
        case .sha1: try .sha1()
        case .md5: try .md5()
        }
    }
}

/// Computes digests of bytes as they come, by several algorithms at once, for one who receives them.
package final class RunningDigests: Sendable {
    private let running: [DigestAlgorithm: RunningHash]

    package init(_ algorithms: some Sequence<DigestAlgorithm>) throws {
        var running: [DigestAlgorithm: RunningHash] = [:]
        for algorithm in algorithms where running[algorithm] == nil {
            running[algorithm] = try RunningHash(algorithm)
        }
        self.running = running
    }

    package func update(_ bytes: UnsafeRawBufferPointer) throws {
        for hash in running.values { try hash.update(bytes) }
    }

    /// Of what has come so far; nil for one that was not asked for.
    package func digest(_ algorithm: DigestAlgorithm) throws -> [UInt8]? { try running[algorithm]?.current() }
}
