import Bytes
package import Media

/// What a child found. A child for videos gives no renditions but a `poster`, which a child for pictures then looks into; one
/// for words gives these alone.
package struct JobResult: Equatable, Sendable {
    /// The most bytes of a poster: a JPEG of one frame of a video.
    package static let posterByteLimit = 4 << 20

    package var facts: MediaFacts
    package var thumbnail: Rendition?
    package var preview: Rendition?
    /// One upright frame as JPEG.
    package var poster: [UInt8]?
    package var isDamaged: Bool
    /// Why there is no picture, where the file tells facts all the same.
    package var unreadable: UnreadableReason?
    /// Of two files that were compared; then there is nothing else.
    package var difference: PictureDifference?
    /// What is written in the picture; empty where nothing is.
    package var words: PictureWords?

    package init(
        facts: MediaFacts, thumbnail: Rendition? = nil, preview: Rendition? = nil, poster: [UInt8]? = nil,
        isDamaged: Bool = false, unreadable: UnreadableReason? = nil, difference: PictureDifference? = nil,
        words: PictureWords? = nil
    ) {
        self.facts = facts
        self.thumbnail = thumbnail
        self.preview = preview
        self.poster = poster
        self.isDamaged = isDamaged
        self.unreadable = unreadable
        self.difference = difference
        self.words = words
    }
}

/// How far a picture is from what an encoder makes of another one, where it is farthest.
package struct PictureDifference: Equatable, Comparable, Sendable {
    /// Thousandths of what encoding alone may do; 0 for equal pixels. `most` stands for all that is more, and for pictures
    /// of which nothing can be said.
    package let thousandths: UInt16

    package static let most = PictureDifference(thousandths: .max)

    package init(thousandths: UInt16) { self.thousandths = thousandths }

    /// - Parameter ratio: to what encoding alone may do; not negative.
    package init(ratio: Double) { thousandths = UInt16(min(ratio * 1000, Double(UInt16.max)).rounded(.up)) }

    /// Whether the second picture shows nothing that the first one does not show.
    package var isCopy: Bool { thousandths <= 1000 }

    package static func < (one: Self, other: Self) -> Bool { one.thousandths < other.thousandths }
}

extension JobResult {
    private enum Part {
        static let thumbnail: UInt8 = 1
        static let preview: UInt8 = 2
        static let poster: UInt8 = 4
        static let isDamaged: UInt8 = 8
        static let unreadable: UInt8 = 16
        static let difference: UInt8 = 32
        static let words: UInt8 = 64
        static let all: UInt8 = 127
    }

    func write(to writer: inout ByteWriter) {
        var parts: UInt8 = isDamaged ? Part.isDamaged : 0
        if thumbnail != nil { parts |= Part.thumbnail }
        if preview != nil { parts |= Part.preview }
        if poster != nil { parts |= Part.poster }
        if unreadable != nil { parts |= Part.unreadable }
        if difference != nil { parts |= Part.difference }
        if words != nil { parts |= Part.words }
        writer.put(parts)
        facts.write(to: &writer)
        unreadable.map { writer.put($0.rawValue) }
        difference.map { writer.put($0.thousandths) }
        thumbnail?.write(to: &writer)
        preview?.write(to: &writer)
        if let poster { writer.putCounted(poster) }
        if let words { writer.putCounted(words.bytes) }
    }

    init?(from reader: inout ByteReader) {
        guard let parts = reader.integer(UInt8.self), parts & ~Part.all == 0 else { return nil }
        guard let facts = MediaFacts(from: &reader) else { return nil }
        self.init(facts: facts, isDamaged: parts & Part.isDamaged != 0)
        if parts & Part.unreadable != 0 {
            // Then there is nothing else.
            unreadable = reader.integer().flatMap(UnreadableReason.init(rawValue:))
            guard unreadable != nil, parts == Part.unreadable else { return nil }
        }
        if parts & Part.difference != 0 {
            difference = reader.integer(UInt16.self).map(PictureDifference.init(thousandths:))
            guard difference != nil, parts == Part.difference, facts == MediaFacts() else { return nil }
        }
        if parts & Part.words != 0 {
            words = reader.counted(atMost: PictureWords.byteLimit).flatMap(PictureWords.init(bytes:))
            guard words != nil, parts == Part.words, facts == MediaFacts() else { return nil }
        }
        if parts & Part.thumbnail != 0 {
            thumbnail = Rendition(from: &reader, longestSide: Rendition.longestThumbnailSide)
            guard thumbnail != nil else { return nil }
        }
        if parts & Part.preview != 0 {
            preview = Rendition(from: &reader, longestSide: Rendition.longestPreviewSide)
            guard preview != nil else { return nil }
        }
        guard parts & Part.poster != 0 else { return }
        poster = reader.counted(atMost: Self.posterByteLimit)
        guard let poster, poster.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
    }
}

/// Why a file has no picture. The raw values stand in rows: a case never changes its number, a new one takes a free one.
package enum UnreadableReason: UInt8, Error, Sendable, CaseIterable {
    /// The file has no bytes.
    case empty = 1
    /// Nothing here reads this format, or the file is none of those that its first bytes promise.
    case unknownFormat = 2
    /// The header or the picture data are damaged.
    case damaged = 3
    /// More pixels than `ImagingLimits.pixelCount`, by the header.
    case tooManyPixels = 4
    case tooMuchMemory = 5
    case tooSlow = 6
    /// The decoder ended itself or tried what its cage forbids.
    case crashed = 7
    /// The decoder answered what no decoder of ours answers.
    case brokenProtocol = 8
    /// A raw file or a video in which there is no picture.
    case nothingToShow = 9
    /// The file is whole, but built in a way that the libraries here do not take.
    case unsupported = 10
}

/// Dimensions of a picture by its own header: JPEG (ITU-T T.81) or WebP (RFC 9649).
struct PictureHeader: Equatable {
    let width: Int
    let height: Int
}

extension PictureHeader {
    /// Nil for what is no JPEG of one frame that is followed by a scan, or says more than how its pixels are to be read.
    init?(jpeg bytes: [UInt8]) {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var position = 2
        var found: PictureHeader?
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            guard length >= 2, position + 2 + length <= bytes.count, !Self.isMetadata(marker) else { return nil }
            if Self.isFrameHeader(marker) {
                guard found == nil, length >= 8 else { return nil }
                let body = position + 4
                let height = Int(bytes[body + 1]) << 8 | Int(bytes[body + 2])
                found = PictureHeader(width: Int(bytes[body + 3]) << 8 | Int(bytes[body + 4]), height: height)
            }
            if marker == 0xDA { break }
            position += 2 + length
        }
        guard let found else { return nil }
        self = found
    }

    /// A comment, or an application's data (EXIF, XMP, colour profiles, IPTC…) but JFIF's and Adobe's, which say what the
    /// components are.
    private static func isMetadata(_ marker: UInt8) -> Bool {
        marker == 0xFE || (0xE0...0xEF).contains(marker) && marker != 0xE0 && marker != 0xEE
    }

    /// SOF0…SOF15 without DHT, JPG and DAC.
    private static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    /// Nil for what is no WebP whose RIFF length is that of the bytes.
    init?(webP bytes: [UInt8]) {
        guard bytes.count >= 30, bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) else { return nil }
        guard Self.littleEndian(bytes[4..<8]) + 8 == bytes.count else { return nil }
        if bytes.has("VP8 ", at: 12) {
            guard bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
            self.init(
                width: Self.littleEndian(bytes[26..<28]) & 0x3FFF, height: Self.littleEndian(bytes[28..<30]) & 0x3FFF)
        } else if bytes.has("VP8L", at: 12) {
            guard bytes[20] == 0x2F else { return nil }
            let packed = Self.littleEndian(bytes[21..<25])
            self.init(width: (packed & 0x3FFF) + 1, height: (packed >> 14 & 0x3FFF) + 1)
        } else if bytes.has("VP8X", at: 12) {
            // Of what an extended file can have, an alpha channel only: no animation, no metadata, no colour profile.
            guard bytes[20] & ~0x10 == 0 else { return nil }
            self.init(width: Self.littleEndian(bytes[24..<27]) + 1, height: Self.littleEndian(bytes[27..<30]) + 1)
        } else {
            return nil
        }
    }

    private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

extension [UInt8] {
    fileprivate func has(_ name: StaticString, at offset: Int) -> Bool {
        name.withUTF8Buffer { self[offset..<offset + $0.count].elementsEqual($0) }
    }
}
