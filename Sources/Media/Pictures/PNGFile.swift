/// Portable Network Graphics: chunks of length, type, data and checksum (ISO 15948).
enum PNGFile {
    private static let maximumChunkCount = 2048

    static func facts(_ reader: BoundedReader) -> PictureFacts {
        var facts = PictureFacts()
        var position: UInt64 = 8
        for _ in 0..<maximumChunkCount {
            guard let head = reader.bytes(at: position, count: 8), let length: UInt32 = head.integer(at: 0) else {
                break
            }
            let type = String(decoding: head[4...], as: UTF8.self)
            if type == "IEND" { break }
            let end = position + 8 + UInt64(length)
            take(type, position + 8..<end, reader, into: &facts)
            position = end + 4
        }
        return facts
    }

    private static func take(
        _ type: String, _ range: Range<UInt64>, _ reader: BoundedReader, into facts: inout PictureFacts
    ) {
        switch type {
        case "IHDR":
            guard let head = reader.metadata(in: range), let width: UInt32 = head.integer(at: 0),
                let height: UInt32 = head.integer(at: 4)
            else { return }
            facts.size = PictureSize(width: width, height: height)
        case "eXIf" where facts.exif == nil: facts.exif = reader.metadata(in: range)
        case "iTXt" where facts.xmp == nil:
            // Keyword, two zero bytes of "not compressed", empty language and translated keyword.
            guard let text = reader.metadata(in: range), text.has("XML:com.adobe.xmp\0\0\0") else { return }
            facts.xmp = text
        default: break
        }
    }
}
