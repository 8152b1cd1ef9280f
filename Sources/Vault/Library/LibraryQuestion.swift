import Content
import Records

/// A question about content, as columns of the library.
struct LibraryQuestion: Sendable {
    let byteCount: UInt64
    let column: String
    let digest: [UInt8]
    /// When the library has it.
    let answer: ContentAnswer

    init(_ question: ContentQuestion) throws {
        switch question {
        case .whole(let byteCount, let sha256):
            self.init(byteCount: byteCount, column: "sha256", digest: sha256, answer: .known)
        case .tree(let byteCount, let digest):
            self.init(byteCount: byteCount, column: "tree", digest: digest, answer: .known)
        case .ends(let byteCount, let first, let last):
            // Content of one piece has one digest, that of the whole.
            let isOnePiece = byteCount <= ContentDigests.pieceByteCount
            self.init(
                byteCount: byteCount, column: isOnePiece ? "sha256" : "ends",
                digest: isOnePiece ? first : try ContentDigests.ends(first: first, last: last), answer: .maybe)
        }
    }

    private init(byteCount: UInt64, column: String, digest: [UInt8], answer: ContentAnswer) {
        self.byteCount = byteCount
        self.column = column
        self.digest = digest
        self.answer = answer
    }
}
