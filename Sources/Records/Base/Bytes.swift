import Sealing

/// Integers on disk are big-endian throughout.
extension FixedWidthInteger {
    package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

/// Reads fixed-width integers and slices front to back; nil past the end, never a trap.
package struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }

    package mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, bytes.count - position >= count else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func readUInt8() -> UInt8? { integer() }
    mutating func readUInt16() -> UInt16? { integer() }
    package mutating func readUInt32() -> UInt32? { integer() }
    package mutating func readUInt64() -> UInt64? { integer() }

    private mutating func integer<T: FixedWidthInteger & UnsignedInteger>() -> T? {
        let end = position + MemoryLayout<T>.size
        guard end <= bytes.count else { return nil }
        defer { position = end }
        var value = T(0)
        for index in position..<end { value = value << 8 | T(bytes[index]) }
        return value
    }
}

/// Overwrites a scratch array that held key bytes.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in cleanse(buffer) }
}
