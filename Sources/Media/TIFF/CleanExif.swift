/// An EXIF block that says how a picture is turned, and nothing else.
enum CleanExif {
    /// A TIFF header, one directory with one entry, no further directory: 26 bytes.
    static func block(orientation: Int) -> [UInt8] {
        let header: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1]
        return header + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
    }

    /// What stands in place of a block; nil where that says no orientation.
    /// - Parameter exif: begins with a TIFF header.
    static func block(for exif: [UInt8]) -> [UInt8]? {
        TIFFReader(BoundedReader(exif)).flatMap(ExifFacts.init)?.orientation.map(block(orientation:))
    }
}
