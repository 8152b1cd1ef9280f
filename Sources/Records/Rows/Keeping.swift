import Bytes
package import Media

/// What people did with a photo: where they put it, how they like it, what they say of it. None of it changes a byte of
/// the file.
package struct Keeping: Equatable, Sendable {
    /// Albums that one photo can be in: its record has to stay readable.
    package static let mostAlbums = 64
    /// Unicode scalars of a caption.
    package static let longestCaption = 2000

    /// In the order in which it joined them. Some may have been deleted since: they count for nothing, and go with the
    /// next change of this list.
    package var albums: [AlbumID] = []
    /// Bit 0: a heart; bits 1 and 2: quarter turns clockwise; bit 3: it is no double; bit 4: in "Recently deleted", a file
    /// of the same name took its place; bit 5: it is kept out of the timeline. Others are a later version's, and stay.
    package var marks: UInt8 = 0
    package var caption: String?
    /// `CaptureTime.encoded`, where a person has put the date right.
    package var takenAt: [UInt8]?
    /// Where a person says that it was taken.
    package var place: SaidPlace?
    /// The part of the picture that is shown, before the quarter turns; nil for all of it.
    package var edit: PhotoEdit?

    package init() {}

    private static let heart: UInt8 = 1
    private static let turns: UInt8 = 6
    private static let apart: UInt8 = 8
    private static let replaced: UInt8 = 16
    private static let archived: UInt8 = 32

    package var isFavourite: Bool {
        get { marks[mark: Self.heart] }
        set { marks[mark: Self.heart] = newValue }
    }

    /// Whether it is no double of photos that look like it, and that somebody has said so of as well.
    package var isApart: Bool {
        get { marks[mark: Self.apart] }
        set { marks[mark: Self.apart] = newValue }
    }

    /// Whether it lies in "Recently deleted" because a file of the same name took its place.
    package var isReplaced: Bool {
        get { marks[mark: Self.replaced] }
        set { marks[mark: Self.replaced] = newValue }
    }

    /// Whether it is kept out of the timeline. It is in every other list, and counted.
    package var isArchived: Bool {
        get { marks[mark: Self.archived] }
        set { marks[mark: Self.archived] = newValue }
    }

    /// Degrees clockwise by which it is shown: 0, 90, 180 or 270.
    package var rotation: Int {
        get { Int(marks & Self.turns) / 2 * 90 }
        set { marks = marks & ~Self.turns | UInt8(newValue / 90 % 4) << 1 }
    }

    package var encodedAlbums: [UInt8]? { albums.isEmpty ? nil : albums.flatMap(\.bytes) }
    var encodedMarks: [UInt8]? { marks == 0 ? nil : [marks] }

    package static func albums(_ bytes: [UInt8]) -> [AlbumID] {
        stride(from: 0, to: bytes.count, by: 16).compactMap { AlbumID(bytes: bytes[$0..<min($0 + 16, bytes.count)]) }
    }

    /// With what people did with a photo of the same content, of which only this one stays.
    package func joined(by other: Keeping) -> Keeping {
        var joined = self
        let more = other.albums.filter { !albums.contains($0) }
        joined.albums = Array((albums + more).prefix(Self.mostAlbums))
        joined.isFavourite = isFavourite || other.isFavourite
        joined.isApart = isApart || other.isApart
        joined.isArchived = isArchived || other.isArchived
        if rotation == 0 { joined.rotation = other.rotation }
        joined.takenAt = takenAt ?? other.takenAt
        joined.place = place ?? other.place
        joined.edit = edit ?? other.edit
        joined.caption = joined.caption(with: other.caption)
        return joined
    }

    /// Both, where they differ and there is room for them.
    private func caption(with other: String?) -> String? {
        guard let caption, let other, caption != other else { return caption ?? other }
        let both = "\(caption)\n\(other)"
        return both.unicodeScalars.count <= Self.longestCaption ? both : caption
    }
}

/// Where a person says that a photo was taken.
package struct SaidPlace: Equatable, Sendable {
    package var place: Place
    /// Of the town that was chosen by its name, at GeoNames; 0 for a point on a map.
    package var town: UInt32

    package init(_ place: Place, town: UInt32 = 0) {
        self.place = place
        self.town = town
    }

    /// As in a row: latitude and longitude as facts have them, and the town, 4.
    package var encoded: [UInt8] {
        FactsCoding.encode(Place(latitude: place.latitude, longitude: place.longitude) ?? place).prefix(8)
            + town.bigEndianBytes
    }

    package init?(encoded: [UInt8]) {
        guard encoded.count == 12, let place = FactsCoding.place(Array(encoded.prefix(8))) else { return nil }
        self.init(place, town: encoded[8...].reduce(0) { $0 << 8 | UInt32($1) })
    }
}

extension PhotoRecord {
    /// Where it was taken: as a person says, else as the file says.
    package var shownPlace: Place? { keeping.place?.place ?? facts.flatMap { FactsCoding.decode($0).place } }

    /// When it was taken: as a person says, else as the file says.
    package var shownTakenAt: [UInt8]? { keeping.takenAt ?? takenAt }

    /// What a person has moved it to. Where that is what the file says, as after a move back, nobody has said anything.
    package mutating func say(takenAt time: CaptureTime) {
        var file = takenAt.flatMap(CaptureTime.init(encoded:))
        file?.source = time.source
        keeping.takenAt = file == time ? nil : time.encoded
    }

    /// What became of a photo of the same content goes on with this one.
    package mutating func joinKeeping(of duplicate: PhotoRecord) {
        keeping = keeping.joined(by: duplicate.keeping)
        told = told ?? duplicate.told
        words = words ?? duplicate.words
        joinFolders(of: duplicate)
        let known = Set(unknown.map(\.tag))
        unknown += duplicate.unknown.filter { !known.contains($0.tag) }
    }
}
