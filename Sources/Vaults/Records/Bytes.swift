/// Integers on disk are big-endian throughout.
extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

/// Reads fixed-width integers and slices front to back; nil past the end, never a trap.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func readUInt8() -> UInt8? { integer() }
    mutating func readUInt16() -> UInt16? { integer() }
    mutating func readUInt32() -> UInt32? { integer() }
    mutating func readUInt64() -> UInt64? { integer() }

    private mutating func integer<T: FixedWidthInteger & UnsignedInteger>() -> T? {
        read(MemoryLayout<T>.size)?.reduce(T(0)) { ($0 << 8) | T($1) }
    }
}
