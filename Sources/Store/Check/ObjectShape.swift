import Glibc

/// What can be seen of an object file without a key: its first eight bytes and that one message may follow.
enum ObjectShape {
    private static let preamble: [UInt8] = Array("SLO1".utf8) + [1, 14, 0, 0]
    /// Preamble, salt, commitment, and one chunk that is only a tag.
    private static let minimumByteCount: UInt64 = 8 + 24 + 32 + 16

    /// Nil when nothing is wrong.
    static func complaint(about file: OpenFile) throws(StoreError) -> String? {
        guard try file.byteCount() >= minimumByteCount else { return "is too short" }
        guard try file.bytes(at: 0, count: 8) == preamble else { return "does not begin as an object of this format" }
        return nil
    }
}
