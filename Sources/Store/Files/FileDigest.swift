import Bytes

/// SHA-256 of a file, in the form that a million of them fit into memory.
struct FileDigest: Hashable, Sendable {
    static let byteCount = 32
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Nil unless there are exactly 32 bytes.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// Nil unless it is 64 lower-case hexadecimal digits.
    init?(hex: some Collection<UInt8>) {
        guard hex.count == 2 * Self.byteCount else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        for (index, digit) in hex.enumerated() {
            guard let value = Self.value(of: digit) else { return nil }
            bytes[index / 2] = bytes[index / 2] << 4 | value
        }
        self.init(bytes: bytes)
    }

    var hex: String {
        [words.0, words.1, words.2, words.3].map { Hexadecimal.encode($0.bigEndianBytes) }.joined()
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    static func == (one: FileDigest, other: FileDigest) -> Bool { one.words == other.words }

    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
