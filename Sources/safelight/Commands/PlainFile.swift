import Glibc
import Sealing

/// Files that lie in a folder already.
enum PlainFile {
    private static let pieceByteCount = 1 << 20

    /// The digest of a whole file, or of its first bytes.
    /// - Returns: nil for a link, a folder, and what cannot be read.
    static func sha256(of path: String, first byteCount: UInt64 = .max) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var hasher = try SHA256Hasher()
        var piece = [UInt8](repeating: 0, count: pieceByteCount)
        var rest = byteCount
        while rest > 0 {
            let count = read(descriptor, &piece, Int(min(rest, UInt64(pieceByteCount))))
            guard count >= 0 else { return nil }
            if count == 0 { break }
            try piece.withUnsafeBytes { try hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            rest -= UInt64(count)
        }
        return try hasher.finalize()
    }
}
