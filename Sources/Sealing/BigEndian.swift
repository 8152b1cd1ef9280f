extension FixedWidthInteger {
    /// The bytes of the integer, the most significant first.
    var bigEndianBytes: [UInt8] {
        withUnsafeBytes(of: bigEndian) { Array($0) }
    }
}

extension UnsafeRawBufferPointer {
    /// The big-endian integer at `offset`. The caller has checked the size.
    func bigEndian<Integer: FixedWidthInteger>(_: Integer.Type, at offset: Int) -> Integer {
        Integer(bigEndian: loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }
}
