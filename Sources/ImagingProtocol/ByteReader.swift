/// Takes apart a payload that is not to be trusted: every call says nil instead of reading beyond the end.
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value? {
        guard let piece = take(MemoryLayout<Value>.size) else { return nil }
        return piece.reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }

    mutating func double() -> Double? { integer(UInt64.self).map(Double.init(bitPattern:)) }

    /// u32 length ‖ bytes.
    mutating func counted(atMost limit: Int) -> [UInt8]? {
        guard let count = integer(UInt32.self), count <= limit else { return nil }
        return take(Int(count)).map(Array.init)
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - position else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }
}

/// Integers big endian, texts with their length.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ value: Double) { put(value.bitPattern) }

    mutating func put(_ value: [UInt8]) { bytes.append(contentsOf: value) }

    /// u32 length ‖ bytes.
    mutating func putCounted(_ value: [UInt8]) {
        put(UInt32(truncatingIfNeeded: value.count))
        put(value)
    }
}
