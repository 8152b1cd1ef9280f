extension MediaType {
    /// As many first bytes as `sniff` looks at.
    package static let headByteCount = 4096

    /// The type of a file that begins with `head`; fewer than `headByteCount` bytes only if the file is shorter.
    package static func sniff(_ head: some Collection<UInt8>) -> MediaType {
        let head = Array(head.prefix(headByteCount))
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if head.has("GIF87a") || head.has("GIF89a") { return .gif }
        if head.has("RIFF"), head.has("WEBP", at: 8) { return .webp }
        if BitmapHeader(head) != nil { return .bmp }
        if JPEG2000File.begins(head) { return .jp2 }
        if JXLFile.begins(head) { return .jxl }
        if PhotoshopFile.size(head) != nil { return .psd }
        if IconDirectory(head) != nil { return .ico }
        if head.has("RIFF"), head.has("AVI ", at: 8) { return .avi }
        if ASFFile.begins(head) { return .asf }
        if head.starts(with: [0x00, 0x00, 0x01, 0xBA]) { return .mpegProgram }
        if ElementaryStream(head) != nil { return .mpegProgram }
        if head.has("FLV\u{1}"), head.count > 8, head[4] & 0xFA == 0 { return .flv }
        if TransportStream.layout(head) != nil { return .mpegTransport }
        if head.has("FUJIFILMCCD-RAW ") { return .raf }
        if head.has("ftyp", at: 4) { return isoBaseMedia(head) }
        if ["moov", "mdat", "wide"].contains(where: { head.has($0, at: 4) }) { return .quickTime }
        // Words that could stand in a text too, but not behind a zero byte.
        if head.first == 0, ["free", "skip", "pnot"].contains(where: { head.has($0, at: 4) }) { return .quickTime }
        if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return matroskaFamily(head) }
        return tiffFamily(head)
    }
}

extension [UInt8] {
    /// Whether the bytes at `offset` are those of `text`.
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
        guard offset >= 0, offset <= count, text.utf8CodeUnitCount <= count - offset else { return false }
        return text.withUTF8Buffer { self[offset..<offset + $0.count].elementsEqual($0) }
    }
}
