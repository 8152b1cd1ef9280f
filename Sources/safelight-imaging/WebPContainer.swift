/// The chunks of a WebP file (RFC 9649). libvips writes an EXIF chunk of its own even where it is told to keep nothing.
struct WebPContainer {
    private let chunks: [(name: String, bytes: ArraySlice<UInt8>)]

    private static let headerByteCount = 12
    private static let alphaFlag: UInt8 = 0x10

    /// Nil for what is no whole WebP file.
    init?(_ file: [UInt8]) {
        var chunks: [(name: String, bytes: ArraySlice<UInt8>)] = []
        var position = Self.headerByteCount
        while position + 8 <= file.count {
            let length = file[position + 4..<position + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            let end = position + 8 + length + length % 2
            guard end <= file.count else { return nil }
            chunks.append((String(decoding: file[position..<position + 4], as: UTF8.self), file[position..<end]))
            position = end
        }
        guard position == file.count, !chunks.isEmpty else { return nil }
        self.chunks = chunks
    }

    /// The picture without anything but its pixels.
    var stripped: [UInt8] {
        let pixels = chunks.filter { ["VP8 ", "VP8L", "ALPH"].contains($0.name) }
        let hasAlphaChunk = pixels.contains { $0.name == "ALPH" }
        var body = hasAlphaChunk ? extendedHeader : []
        for chunk in pixels { body += chunk.bytes }
        let length = UInt32(truncatingIfNeeded: body.count + 4)
        let lengthBytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        return Array("RIFF".utf8) + lengthBytes + Array("WEBP".utf8) + body
    }

    /// The chunk that announces what a simple file cannot have: alpha only.
    private var extendedHeader: [UInt8] {
        guard var header = chunks.first(where: { $0.name == "VP8X" }).map({ Array($0.bytes) }), header.count > 8 else {
            return []
        }
        header[8] = Self.alphaFlag
        return header
    }
}
