import Bytes
import Media

extension Rendition {
    func write(to writer: inout ByteWriter) {
        writer.put(type.rawValue)
        writer.put(UInt16(truncatingIfNeeded: width))
        writer.put(UInt16(truncatingIfNeeded: height))
        writer.putCounted(bytes)
    }

    /// Nil unless the bytes begin as a picture of the named type and dimensions does: what a child made goes to
    /// browsers as it is, and must not be something else.
    init?(from reader: inout ByteReader, longestSide: Int) {
        guard let type = reader.integer().flatMap(MediaType.init(rawValue:)),
            let width = reader.integer(UInt16.self), let height = reader.integer(UInt16.self),
            let bytes = reader.counted(atMost: Self.byteLimit)
        else { return nil }
        guard let stated = PictureHeader(bytes, type, longestSide: longestSide),
            stated == PictureHeader(width: Int(width), height: Int(height))
        else { return nil }
        self.init(bytes: bytes, type: type, width: Int(width), height: Int(height))
    }

    /// A thumbnail that a client made. Nil unless the bytes begin as one of ours does: nothing here decodes them, and
    /// browsers get them as they are.
    package init?(thumbnail bytes: [UInt8]) {
        let type = MediaType.sniff(bytes)
        guard let header = PictureHeader(bytes, type, longestSide: Self.thumbnailSide) else { return nil }
        self.init(bytes: bytes, type: type, width: header.width, height: header.height)
    }
}

extension PictureHeader {
    /// Nil for what is no JPEG or WebP, has an empty or a longer side, or says more than how its pixels are to be read.
    fileprivate init?(_ bytes: [UInt8], _ type: MediaType, longestSide: Int) {
        let stated: PictureHeader? =
            switch type {
            case .jpeg: PictureHeader(jpeg: bytes)
            case .webp: PictureHeader(webP: bytes)
            default: nil
            }
        guard let stated, (1...longestSide).contains(stated.width), (1...longestSide).contains(stated.height) else {
            return nil
        }
        self = stated
    }
}
