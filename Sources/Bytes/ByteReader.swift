/// Integers on disk and between our programs are big-endian throughout.
extension FixedWidthInteger {
    /// The most significant first.
    package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension UnsafeRawBufferPointer {
    /// The big-endian integer at `offset`. The caller has checked the size.
    package func bigEndian<Integer: FixedWidthInteger>(_: Integer.Type, at offset: Int) -> Integer {
        Integer(bigEndian: loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }
}

extension Range<Int> {
    /// Binary search: the first for which a condition holds that holds for all behind it; the end where it holds for none.
    @inlinable package func partitioningIndex(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Reads fixed-width integers and slices front to back from bytes that are not to be trusted: every call says nil
/// instead of reading beyond the end.
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

    package mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        let end = position + MemoryLayout<Value>.size
        guard end <= bytes.count else { return nil }
        defer { position = end }
        var value = Value(0)
        for index in position..<end { value = value << 8 | Value(truncatingIfNeeded: bytes[index]) }
        return value
    }

    package mutating func readUInt8() -> UInt8? { integer() }
    package mutating func readUInt16() -> UInt16? { integer() }
    package mutating func readUInt32() -> UInt32? { integer() }
    package mutating func readUInt64() -> UInt64? { integer() }

    package mutating func double() -> Double? { integer(UInt64.self).map(Double.init(bitPattern:)) }

    /// u32 length ‖ bytes.
    package mutating func counted(atMost limit: Int) -> [UInt8]? {
        guard let count = integer(UInt32.self), count <= limit else { return nil }
        return read(Int(count)).map(Array.init)
    }
}

/// Writes what `ByteReader` reads.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func put(_ value: Double) { put(value.bitPattern) }

    package mutating func put(_ value: [UInt8]) { bytes.append(contentsOf: value) }

    /// u32 length ‖ bytes.
    package mutating func putCounted(_ value: [UInt8]) {
        put(UInt32(truncatingIfNeeded: value.count))
        put(value)
    }
}
