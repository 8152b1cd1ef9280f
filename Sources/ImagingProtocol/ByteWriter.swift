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
