/// A TIFF file, or a raw file with TIFF's structure: its facts stand in the file itself.
struct TIFFFile {
    private static let maximumSubDirectoryCount = 16

    let tiff: TIFFReader
    /// The chain, and what its directories contain.
    let directories: [TIFFDirectory]

    init?(_ reader: BoundedReader) {
        guard let tiff = TIFFReader(reader) else { return nil }
        self.tiff = tiff
        directories = tiff.chain.flatMap { directory in
            [directory]
                + directory.numbers(TIFFTag.subDirectories).prefix(Self.maximumSubDirectoryCount)
                .compactMap { tiff.directory(at: UInt64($0)) }
        }
    }

    var exif: ExifFacts? { ExifFacts(tiff) }
    var xmp: XMPPacket? { directories.first?.bytes(of: TIFFTag.xmp).map(XMPPacket.init) }

    /// Of a raw file the sensor's picture, which is the largest; of a TIFF file its first picture.
    func size(isRaw: Bool) -> PictureSize? {
        guard isRaw else { return directories.first?.size }
        let exif = directories.first?.directory(TIFFTag.exifDirectory)
        let sizes = directories.compactMap { $0.panasonicSize ?? $0.size } + [exif?.exifSize].compactMap(\.self)
        return sizes.max { $0.width * $0.height < $1.width * $1.height }
    }
}

extension TIFFDirectory {
    fileprivate var size: PictureSize? { size(TIFFTag.imageWidth, TIFFTag.imageLength) }

    /// In an EXIF directory only.
    fileprivate var exifSize: PictureSize? { size(TIFFTag.pixelWidth, TIFFTag.pixelHeight) }

    private func size(_ widthTag: UInt16, _ heightTag: UInt16) -> PictureSize? {
        guard let width = number(widthTag), let height = number(heightTag),
            width < 1 << 24, height < 1 << 24
        else { return nil }
        return PictureSize(width: width, height: height)
    }

    /// The sensor without its dark borders: top, left, bottom and right stand in tags 4 to 7 of the first directory.
    fileprivate var panasonicSize: PictureSize? {
        let borders = (4...7).compactMap { number($0) }
        guard contains(1), contains(2), contains(3), borders.count == 4, borders.allSatisfy({ $0 < 1 << 24 }) else {
            return nil
        }
        return PictureSize(width: Int(borders[3]) - Int(borders[1]), height: Int(borders[2]) - Int(borders[0]))
    }
}
