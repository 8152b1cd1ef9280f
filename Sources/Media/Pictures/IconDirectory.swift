/// Windows' icons: a list of pictures, each a PNG or a bitmap without the header of its file.
package struct IconDirectory {
    private static let mostEntries = 64
    private static let entryByteCount = 16

    package struct Entry: Equatable, Sendable {
        package let width: Int
        package let height: Int
        let bitsPerPixel: Int
        /// Where it lies in the file.
        package let range: Range<UInt64>
    }

    /// The largest, and of several the one with most colours.
    package let best: Entry

    /// Nil where none begins so.
    package init?(_ head: [UInt8]) {
        guard head.starts(with: [0, 0, 1, 0]), let count: UInt16 = head.integer(at: 4, isLittleEndian: true),
            (1...Self.mostEntries).contains(Int(count))
        else { return nil }
        let first = UInt64(6 + Int(count) * Self.entryByteCount)
        var entries: [Entry] = []
        for index in 0..<Int(count) {
            guard let entry = Self.entry(head, at: 6 + index * Self.entryByteCount, behind: first) else { return nil }
            entries.append(entry)
        }
        let best = entries.max {
            ($0.width * $0.height, $0.bitsPerPixel) < ($1.width * $1.height, $1.bitsPerPixel)
        }
        guard let best else { return nil }
        self.best = best
    }

    /// Sides of 256 pixels are written as 0. The byte behind the number of colours is 0 in all of them.
    private static func entry(_ head: [UInt8], at start: Int, behind first: UInt64) -> Entry? {
        guard let entry = head.bytes(at: start, count: entryByteCount), entry[3] == 0,
            let planes: UInt16 = entry.integer(at: 4, isLittleEndian: true), planes <= 1,
            let bits: UInt16 = entry.integer(at: 6, isLittleEndian: true), bits <= 32,
            let length: UInt32 = entry.integer(at: 8, isLittleEndian: true), length >= 40,
            let offset: UInt32 = entry.integer(at: 12, isLittleEndian: true), UInt64(offset) >= first
        else { return nil }
        return Entry(
            width: entry[0] == 0 ? 256 : Int(entry[0]), height: entry[1] == 0 ? 256 : Int(entry[1]),
            bitsPerPixel: Int(bits), range: UInt64(offset)..<UInt64(offset) + UInt64(length))
    }
}
