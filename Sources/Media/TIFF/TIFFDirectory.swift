/// One image file directory: values by tag.
struct TIFFDirectory {
    static let entryByteCount = 12
    static let maximumEntryCount = 1024
    /// Limits one value: nothing that tells facts is longer, but for XMP packets and the like.
    static let maximumValueByteCount = 1 << 20

    let tiff: TIFFReader
    /// Where the next directory of the chain begins; 0 for none.
    let next: UInt64
    private let entries: [UInt16: Entry]

    private struct Entry {
        let type: UInt16
        let count: UInt32
        /// The value itself if it fits in four bytes, else its offset.
        let field: [UInt8]
    }

    /// The first entry of a tag leads.
    init(tiff: TIFFReader, body: [UInt8], next: UInt64) {
        self.tiff = tiff
        self.next = next
        var entries: [UInt16: Entry] = [:]
        for start in stride(from: 0, to: body.count, by: Self.entryByteCount) {
            guard let tag: UInt16 = body.integer(at: start, isLittleEndian: tiff.isLittleEndian),
                let type: UInt16 = body.integer(at: start + 2, isLittleEndian: tiff.isLittleEndian),
                let count: UInt32 = body.integer(at: start + 4, isLittleEndian: tiff.isLittleEndian),
                let field = body.bytes(at: start + 8, count: 4), entries[tag] == nil
            else { continue }
            entries[tag] = Entry(type: type, count: count, field: field)
        }
        self.entries = entries
    }

    func contains(_ tag: UInt16) -> Bool { entries[tag] != nil }

    /// Where the bytes of a value lie in the file, whatever their number.
    func range(of tag: UInt16) -> Range<UInt64>? {
        guard let entry = entries[tag], let size = Self.byteCount(ofType: entry.type) else { return nil }
        let length = UInt64(entry.count) * UInt64(size)
        guard length > 4, let offset = entry.field.integer(UInt32.self, at: 0, isLittleEndian: tiff.isLittleEndian),
            let start = tiff.position(of: UInt64(offset)), length <= tiff.reader.byteCount - start
        else { return nil }
        return start..<start + length
    }

    /// The bytes of a value.
    func bytes(of tag: UInt16) -> [UInt8]? {
        guard let entry = entries[tag], let size = Self.byteCount(ofType: entry.type) else { return nil }
        let length = UInt64(entry.count) * UInt64(size)
        if length <= 4 { return [UInt8](entry.field.prefix(Int(length))) }
        guard length <= UInt64(Self.maximumValueByteCount), let range = range(of: tag) else { return nil }
        return tiff.reader.bytes(at: range.lowerBound, count: Int(length))
    }

    func text(_ tag: UInt16) -> String? {
        guard let entry = entries[tag], [2, 7, 129].contains(entry.type) else { return nil }
        return bytes(of: tag)?.text
    }

    /// The whole numbers of a value, of which the first thousand count.
    func numbers(_ tag: UInt16) -> [UInt32] {
        guard let entry = entries[tag], let bytes = bytes(of: tag) else { return [] }
        let isLittleEndian = tiff.isLittleEndian
        let starts = stride(from: 0, to: bytes.count, by: Self.byteCount(ofType: entry.type) ?? 1).prefix(1000)
        return starts.compactMap { start in
            switch entry.type {
            case 1, 7: UInt32(bytes[start])
            // Some programs write signed numbers where none can be below zero: places, above all.
            case 3, 8: bytes.integer(UInt16.self, at: start, isLittleEndian: isLittleEndian).map(UInt32.init)
            case 4, 9, 13: bytes.integer(UInt32.self, at: start, isLittleEndian: isLittleEndian)
            default: nil
            }
        }
    }

    func number(_ tag: UInt16) -> UInt32? { numbers(tag).first }

    /// Quotients of a value; a denominator of zero makes nan.
    func rationals(_ tag: UInt16) -> [Double] {
        guard let entry = entries[tag], [5, 10].contains(entry.type), let bytes = bytes(of: tag) else { return [] }
        let isLittleEndian = tiff.isLittleEndian
        return stride(from: 0, to: bytes.count, by: 8).prefix(16).compactMap { start in
            guard let above = bytes.integer(UInt32.self, at: start, isLittleEndian: isLittleEndian),
                let below = bytes.integer(UInt32.self, at: start + 4, isLittleEndian: isLittleEndian)
            else { return nil }
            guard below != 0 else { return .nan }
            if entry.type == 5 { return Double(above) / Double(below) }
            return Double(Int32(bitPattern: above)) / Double(Int32(bitPattern: below))
        }
    }

    /// The directory that a value points to.
    func directory(_ tag: UInt16) -> TIFFDirectory? { number(tag).flatMap { tiff.directory(at: UInt64($0)) } }

    private static func byteCount(ofType type: UInt16) -> Int? {
        switch type {
        case 1, 2, 6, 7, 129: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12: 8
        default: nil
        }
    }
}
