/// Apple's note in EXIF: `Apple iOS`, a version, a byte order, and a directory whose offsets count from the note itself.
enum AppleMakerNote {
    private static let contentIdentifierTag: UInt16 = 0x0011
    private static let directoryOffset: UInt64 = 14

    static func contentIdentifier(in exif: TIFFDirectory) -> String? {
        guard let note = exif.range(of: TIFFTag.makerNote), note.count > 20,
            let head = exif.tiff.reader.bytes(at: note.lowerBound, count: 14), head.has("Apple iOS\0")
        else { return nil }
        let isLittleEndian = head.has("II", at: 12)
        let tiff = TIFFReader(
            exif.tiff.reader, base: note.lowerBound, isLittleEndian: isLittleEndian, firstDirectory: directoryOffset)
        return tiff.directory(at: directoryOffset)?.text(contentIdentifierTag)
    }
}
