/// Windows' bitmap: the header of the file and that of the picture, of whose many versions the beginnings agree.
package struct BitmapHeader {
    static let byteCount = 54
    /// Sizes of the picture's header by which its versions are known.
    private static let versions: Set<UInt32> = [40, 52, 56, 64, 108, 124]

    let size: PictureSize
    package var width: Int { size.width }
    package var height: Int { size.height }
    /// Whether the first row is the uppermost, and not the lowest.
    package let isTopDown: Bool
    package let bitsPerPixel: Int
    /// 0: as they are, 3: with masks.
    package let compression: Int
    /// Of the pixels in the file.
    package let pixelOffset: Int
    /// Of the palette in the file, four bytes a colour.
    package let paletteOffset: Int
    package let colourCount: Int

    package init?(_ head: [UInt8]) {
        guard head.has("BM"), let offset: UInt32 = head.integer(at: 10, isLittleEndian: true),
            let version: UInt32 = head.integer(at: 14, isLittleEndian: true), Self.versions.contains(version),
            let width: Int32 = head.integer(at: 18, isLittleEndian: true),
            let height: Int32 = head.integer(at: 22, isLittleEndian: true), height != .min,
            let planes: UInt16 = head.integer(at: 26, isLittleEndian: true), planes == 1,
            let bits: UInt16 = head.integer(at: 28, isLittleEndian: true), [1, 4, 8, 16, 24, 32].contains(bits),
            let compression: UInt32 = head.integer(at: 30, isLittleEndian: true),
            let colours: UInt32 = head.integer(at: 46, isLittleEndian: true),
            let size = PictureSize(width: width, height: abs(height))
        else { return nil }
        self.size = size
        isTopDown = height < 0
        bitsPerPixel = Int(bits)
        self.compression = Int(compression)
        pixelOffset = Int(offset)
        paletteOffset = 14 + Int(version)
        let most = bits <= 8 ? UInt32(1) << UInt32(bits) : 0
        colourCount = Int(colours == 0 ? most : min(colours, most))
    }
}
