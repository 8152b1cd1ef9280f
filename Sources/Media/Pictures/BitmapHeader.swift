/// Windows' and OS/2's bitmap: the header of the file and that of the picture, of whose many versions the beginnings agree.
package struct BitmapHeader {
    /// How the pixels are stored.
    package enum Coding: Equatable, Sendable {
        case plain
        /// Each pixel has the given bits for red, green and blue.
        case masks(UInt32, UInt32, UInt32)
        /// Runs of equal pixels, of eight or four bits each.
        case runs
        /// A whole JPEG or PNG, a fax, or what nobody here knows.
        case other
    }

    static let byteCount = 70
    /// Sizes of the picture's header by which its versions are known; the first is OS/2's.
    private static let versions: Set<UInt32> = [12, 16, 40, 52, 56, 64, 108, 124]
    private static let os2 = 12

    let size: PictureSize
    package var width: Int { size.width }
    package var height: Int { size.height }
    /// Whether the first row is the uppermost, and not the lowest.
    package let isTopDown: Bool
    package let bitsPerPixel: Int
    package let coding: Coding
    /// Where the pixels begin in the file.
    package let pixelOffset: Int
    /// Where the palette begins in the file.
    package let paletteOffset: Int
    package let colourCount: Int
    /// Blue, green, red, and mostly one more.
    package let bytesPerColour: Int
    /// Bits of a pixel that say how little it hides; 0 where none do.
    package let alphaMask: UInt32

    package init?(_ head: [UInt8]) {
        guard head.has("BM"), let offset: UInt32 = head.integer(at: 10, isLittleEndian: true),
            let version: UInt32 = head.integer(at: 14, isLittleEndian: true), Self.versions.contains(version),
            let shape = Self.shape(head, version),
            let size = PictureSize(width: shape.width, height: abs(shape.height)), shape.planes == 1,
            [1, 2, 4, 8, 16, 24, 32].contains(shape.bits)
        else { return nil }
        self.size = size
        isTopDown = shape.height < 0
        bitsPerPixel = shape.bits
        let compression: UInt32 = version < 40 ? 0 : head.integer(at: 30, isLittleEndian: true) ?? 0
        let stated: UInt32 = version < 40 ? 0 : head.integer(at: 46, isLittleEndian: true) ?? 0
        coding = Self.coding(compression, version, bits: shape.bits, head)
        let hasAlpha = (version >= 56 && version != 64 && [3, 6].contains(compression)) || compression == 6
        alphaMask = hasAlpha ? head.integer(at: 66, isLittleEndian: true) ?? 0 : 0
        // Masks of the version of 40 bytes follow it.
        let maskByteCount = version == 40 ? [3: 12, 6: 16][compression] ?? 0 : 0
        paletteOffset = 14 + Int(version) + maskByteCount
        bytesPerColour = Int(version) == Self.os2 ? 3 : 4
        let most = shape.bits <= 8 ? 1 << shape.bits : 0
        let wanted = stated == 0 ? most : min(Int(stated), most)
        // Some programs take the palette for pixels: those lie behind it.
        pixelOffset = Int(offset) <= paletteOffset ? paletteOffset + wanted * bytesPerColour : Int(offset)
        colourCount = min(wanted, (pixelOffset - paletteOffset) / bytesPerColour)
    }

    private static func shape(
        _ head: [UInt8], _ version: UInt32
    ) -> (width: Int, height: Int, planes: Int, bits: Int)? {
        if version == os2 {
            let numbers = (0..<4).compactMap { head.integer(UInt16.self, at: 18 + $0 * 2, isLittleEndian: true) }
            return numbers.count == 4 ? (Int(numbers[0]), Int(numbers[1]), Int(numbers[2]), Int(numbers[3])) : nil
        }
        guard let width: Int32 = head.integer(at: 18, isLittleEndian: true),
            let height: Int32 = head.integer(at: 22, isLittleEndian: true),
            let planes: UInt16 = head.integer(at: 26, isLittleEndian: true),
            let bits: UInt16 = head.integer(at: 28, isLittleEndian: true)
        else { return nil }
        return (Int(width), Int(height), Int(planes), Int(bits))
    }

    private static func coding(_ compression: UInt32, _ version: UInt32, bits: Int, _ head: [UInt8]) -> Coding {
        switch (compression, bits) {
        case (0, 16): .masks(0x7C00, 0x03E0, 0x001F)
        case (0, 32): .masks(0xFF_0000, 0xFF00, 0xFF)
        case (0, _): .plain
        case (1, 8), (2, 4): .runs
        // In OS/2's header of 64 bytes it is a fax.
        case (3, 16), (3, 32), (6, 16), (6, 32):
            version == 64 ? .other : masks(head)
        default: .other
        }
    }

    private static func masks(_ head: [UInt8]) -> Coding {
        let masks = (0..<3).compactMap { head.integer(UInt32.self, at: 54 + $0 * 4, isLittleEndian: true) }
        return masks.count == 3 ? .masks(masks[0], masks[1], masks[2]) : .other
    }
}

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
