/// What a file is, by its first bytes and never by its name.
enum MediaType {
    /// Bytes that `sniff` looks at.
    static let prefixByteCount = 4096
    static let unknown = "application/octet-stream"

    /// An IANA media type; `application/octet-stream` for everything that is not a known picture or video.
    static func sniff(_ prefix: [UInt8]) -> String {
        func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
            prefix.count >= offset + bytes.count && prefix[offset..<offset + bytes.count].elementsEqual(bytes)
        }
        func has(_ text: String, at offset: Int = 0) -> Bool { has(Array(text.utf8), at: offset) }

        if has([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if has("GIF87a") || has("GIF89a") { return "image/gif" }
        if has("RIFF"), has("WEBP", at: 8) { return "image/webp" }
        if has([0x49, 0x49, 0x2A, 0x00]) || has([0x4D, 0x4D, 0x00, 0x2A]) { return "image/tiff" }
        if has([0x1A, 0x45, 0xDF, 0xA3]) { return "video/webm" }
        if has("ftyp", at: 4) {
            return isoBaseMedia(brand: String(decoding: prefix[8..<min(12, prefix.count)], as: UTF8.self))
        }
        if has("moov", at: 4) || has("mdat", at: 4) || has("wide", at: 4) { return "video/quicktime" }
        return unknown
    }

    /// Whether a browser may show it in the page's origin: raster pictures and videos only, nothing that can run.
    static func isServedInline(_ type: String) -> Bool { inline.contains(type) }

    private static let inline: Set<String> = [
        "image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/heic", "image/heif", "image/tiff",
        "video/mp4", "video/quicktime", "video/webm",
    ]

    private static func isoBaseMedia(brand: String) -> String {
        switch brand {
        case "heic", "heix", "hevc", "hevx", "heim", "heis": "image/heic"
        case "mif1", "msf1": "image/heif"
        case "avif", "avis": "image/avif"
        case "qt  ": "video/quicktime"
        default: "video/mp4"
        }
    }
}
