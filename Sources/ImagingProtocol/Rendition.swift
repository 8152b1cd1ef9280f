import Bytes
package import Media

/// A small picture made from a photo: upright, sRGB, without metadata.
package struct Rendition: Equatable, Sendable {
    /// Longest side in pixels of a thumbnail, and the most of a preview; but for panoramas and long screenshots, which are
    /// measured by their shorter side.
    package static let thumbnailSide = 320
    package static let previewSide = 2048
    /// Longest sides that there are at all. More than 16,383 pixels no WebP can have.
    package static let longestThumbnailSide = 2048
    package static let longestPreviewSide = 16_000
    private static let thumbnailBreadth = 200
    private static let previewBreadth = 1080
    /// Pixels of a long preview: twice those of a square one.
    private static let longPixelCount = 8_000_000.0

    /// The longer side of the thumbnail of a picture.
    package static func thumbnailSide(width: Int, height: Int) -> Int {
        side(width, height, usual: thumbnailSide, breadth: thumbnailBreadth, longest: longestThumbnailSide)
    }

    /// The longer side of the preview of a picture.
    package static func previewSide(width: Int, height: Int) -> Int {
        side(width, height, usual: previewSide, breadth: previewBreadth, longest: longestPreviewSide)
    }

    /// As usual where that leaves at least half of the breadth, else as long as the breadth wants.
    private static func side(_ width: Int, _ height: Int, usual: Int, breadth: Int, longest: Int) -> Int {
        let (long, short) = (Double(max(width, height, 1)), Double(max(1, min(width, height))))
        let ratio = long / short
        guard Double(usual) / ratio < Double(breadth) / 2 else { return usual }
        let wanted = min(Double(breadth), short) * ratio
        return max(usual, Int(min(wanted, Double(longest), (longPixelCount * ratio).squareRoot(), long)))
    }
    /// A rendition and its length fit the largest padded body that the store keeps (2²¹ − 1 bytes).
    package static let byteLimit = 2_000_000

    package let bytes: [UInt8]
    /// `.webp` or `.jpeg`.
    package let type: MediaType
    package let width: Int
    package let height: Int

    package init(bytes: [UInt8], type: MediaType, width: Int, height: Int) {
        self.bytes = bytes
        self.type = type
        self.width = width
        self.height = height
    }
}

/// What a look into a file found.
package struct Examination: Equatable, Sendable {
    package var facts: MediaFacts
    /// Longest side `Rendition.thumbnailSide`, or the picture's own if that is shorter. Nil for a video without poster.
    package var thumbnail: Rendition?
    /// Longest side at most `Rendition.previewSide`; nil with `thumbnail`.
    package var preview: Rendition?
    /// Whether the picture data end early or are broken in places: what could be read is shown.
    package var isDamaged: Bool
    /// Why there is no picture, where the file tells facts all the same; nil also for a video without poster.
    package var unreadable: UnreadableReason?
    /// A video for which there is no program that plays videos: it may have a poster when there is one.
    package var isWithoutPlayer: Bool

    package init(
        facts: MediaFacts, thumbnail: Rendition? = nil, preview: Rendition? = nil, isDamaged: Bool = false,
        unreadable: UnreadableReason? = nil, isWithoutPlayer: Bool = false
    ) {
        self.facts = facts
        self.thumbnail = thumbnail
        self.preview = preview
        self.isDamaged = isDamaged
        self.unreadable = unreadable
        self.isWithoutPlayer = isWithoutPlayer
    }
}

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
