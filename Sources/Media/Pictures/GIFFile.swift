/// GIF: the size of the logical screen.
enum GIFFile {
    static func facts(_ reader: BoundedReader) -> PictureFacts {
        var facts = PictureFacts()
        guard let head = reader.bytes(at: 0, count: 10),
            let width: UInt16 = head.integer(at: 6, isLittleEndian: true),
            let height: UInt16 = head.integer(at: 8, isLittleEndian: true)
        else { return facts }
        facts.size = PictureSize(width: width, height: height)
        return facts
    }
}
