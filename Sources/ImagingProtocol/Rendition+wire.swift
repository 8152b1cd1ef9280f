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
        guard (1...longestSide).contains(Int(width)), (1...longestSide).contains(Int(height)) else { return nil }
        let stated: PictureHeader? =
            switch type {
            case .jpeg: PictureHeader(jpeg: bytes)
            case .webp: PictureHeader(webP: bytes)
            default: nil
            }
        guard stated == PictureHeader(width: Int(width), height: Int(height)) else { return nil }
        self.init(bytes: bytes, type: type, width: Int(width), height: Int(height))
    }
}
