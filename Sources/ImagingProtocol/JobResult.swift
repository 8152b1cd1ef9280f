import Bytes
package import Media

/// What a child found. A child for videos gives no renditions but a `poster`, which a child for pictures then looks into.
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

    package init(
        facts: MediaFacts, thumbnail: Rendition? = nil, preview: Rendition? = nil, poster: [UInt8]? = nil,
        isDamaged: Bool = false, unreadable: UnreadableReason? = nil, difference: PictureDifference? = nil
    ) {
        self.facts = facts
        self.thumbnail = thumbnail
        self.preview = preview
        self.poster = poster
        self.isDamaged = isDamaged
        self.unreadable = unreadable
        self.difference = difference
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
        static let all: UInt8 = 63
    }

    func write(to writer: inout ByteWriter) {
        var parts: UInt8 = isDamaged ? Part.isDamaged : 0
        if thumbnail != nil { parts |= Part.thumbnail }
        if preview != nil { parts |= Part.preview }
        if poster != nil { parts |= Part.poster }
        if unreadable != nil { parts |= Part.unreadable }
        if difference != nil { parts |= Part.difference }
        writer.put(parts)
        facts.write(to: &writer)
        unreadable.map { writer.put($0.rawValue) }
        difference.map { writer.put($0.thousandths) }
        thumbnail?.write(to: &writer)
        preview?.write(to: &writer)
        if let poster { writer.putCounted(poster) }
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
