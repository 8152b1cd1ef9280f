/// What programs of the 1990s put behind a picture: blocks, with a directory of them that the last twelve bytes point to (AXS
/// File Concatenation Protocol).
struct AppendedBlocks {
    private static let mostEntries = 64

    private let reader: BoundedReader
    private let isLittleEndian: Bool
    /// Four signs, a length and a place for each.
    private let entries: [UInt8]

    /// Nil where the file ends otherwise.
    init?(_ reader: BoundedReader) {
        guard reader.byteCount > 24, let end = reader.bytes(at: reader.byteCount - 12, count: 12),
            end.has("AXS!") || end.has("AXS*")
        else { return nil }
        let isLittleEndian = end.has("AXS*")
        guard let start: UInt32 = end.integer(at: 4, isLittleEndian: isLittleEndian),
            let head = reader.bytes(at: UInt64(start), count: 12), head.starts(with: end[..<4]),
            let count: UInt16 = head.integer(at: 6, isLittleEndian: isLittleEndian), count <= Self.mostEntries,
            let entries = reader.bytes(at: UInt64(start) + 12, count: Int(count) * 12)
        else { return nil }
        self.reader = reader
        self.isLittleEndian = isLittleEndian
        self.entries = entries
    }

    var iptc: IPTCBlock? {
        for entry in stride(from: 0, to: entries.count, by: 12) where entries.has("IPTC", at: entry) {
            guard let length: UInt32 = entries.integer(at: entry + 4, isLittleEndian: isLittleEndian),
                let start: UInt32 = entries.integer(at: entry + 8, isLittleEndian: isLittleEndian)
            else { return nil }
            return reader.metadata(in: UInt64(start)..<UInt64(start) + UInt64(length)).map(IPTCBlock.init(records:))
        }
        return nil
    }
}
