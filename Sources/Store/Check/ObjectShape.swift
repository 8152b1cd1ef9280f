import Glibc

/// What can be seen of an object file without a key: its first eight bytes, that one message may follow, and where it
/// ends.
enum ObjectShape {
    private static let preamble: [UInt8] = Array("SLO1".utf8) + [1, 14, 0, 0]
    /// Preamble, salt, commitment, and one chunk that is only a tag.
    private static let minimumByteCount: UInt64 = 8 + 24 + 32 + 16

    /// A photo's file ends with one. One that is still being sent may end anywhere.
    private static let blockByteCount: UInt64 = 4096

    /// Nil when nothing is wrong.
    static func complaint(about file: OpenFile, isComplete: Bool) throws(StoreError) -> String? {
        let byteCount = try file.byteCount()
        guard byteCount >= minimumByteCount else { return "is too short" }
        if isComplete, !byteCount.isMultiple(of: blockByteCount) { return "was cut off: it does not end with a block" }
        guard try file.bytes(at: 0, count: 8) == preamble else { return "does not begin as an object of this format" }
        return nil
    }
}
