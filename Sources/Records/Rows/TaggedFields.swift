import Bytes

/// The inside of a record: (tag u8, length u16, value)*. Tags that this version does not know are kept and written
/// back, so an older daemon does not strip what a newer one stored.
package struct TaggedFields: Equatable, Sendable {
    package struct Field: Equatable, Sendable {
        var tag: UInt8
        var value: [UInt8]
    }

    var fields: [Field] = []

    init() {}

    /// - Throws: `VaultError.damaged` when lengths do not add up.
    init(_ bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes)
        while let (tag, value) = try reader.readField() { fields.append(Field(tag: tag, value: Array(value))) }
    }

    /// The fields in front of where a record breaks off.
    static func leading(_ bytes: [UInt8]) -> [Field] {
        var fields: [Field] = []
        var reader = ByteReader(bytes)
        while let tag = reader.readUInt8(), let count = reader.readUInt16(), let value = reader.read(Int(count)) {
            fields.append(Field(tag: tag, value: Array(value)))
        }
        return fields
    }

    var encoded: [UInt8] {
        fields.reduce(into: []) { bytes, field in
            bytes.append(field.tag)
            bytes += UInt16(field.value.count).bigEndianBytes
            bytes += field.value
        }
    }

    func values(_ tag: UInt8) -> [[UInt8]] { fields.filter { $0.tag == tag }.map(\.value) }
    func value(_ tag: UInt8) -> [UInt8]? { fields.first { $0.tag == tag }?.value }

    func uint64(_ tag: UInt8) -> UInt64? {
        guard let value = value(tag) else { return nil }
        var reader = ByteReader(value)
        return reader.readUInt64()
    }

    mutating func append(_ tag: UInt8, _ value: [UInt8]?) {
        guard let value else { return }
        fields.append(Field(tag: tag, value: value))
    }

    mutating func append(_ tag: UInt8, _ value: UInt64?) { append(tag, value?.bigEndianBytes) }
}

extension ByteReader {
    /// The next field of a record, nil at its end.
    /// - Throws: `VaultError.damaged` when lengths do not add up.
    mutating func readField() throws(VaultError) -> (tag: UInt8, value: ArraySlice<UInt8>)? {
        if isAtEnd { return nil }
        guard let tag = readUInt8(), let count = readUInt16(), let value = read(Int(count)) else { throw .damaged }
        return (tag, value)
    }
}

/// The marks of a record: a bit each, of which those of a later version stay as they are.
extension UInt8 {
    subscript(mark mark: UInt8) -> Bool {
        get { self & mark != 0 }
        set { self = self & ~mark | (newValue ? mark : 0) }
    }
}

/// Which tags a record has, of all 256 that there can be.
struct TagSet {
    private var words = SIMD4<UInt64>()

    init(_ tags: [UInt8] = []) { for tag in tags { _ = insert(tag) } }

    /// - Returns: false where it was in there.
    mutating func insert(_ tag: UInt8) -> Bool {
        let (word, bit) = (Int(tag >> 6), UInt64(1) << UInt64(tag & 63))
        defer { words[word] |= bit }
        return words[word] & bit == 0
    }

    func isSuperset(of other: TagSet) -> Bool { words & other.words == other.words }
}
