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
