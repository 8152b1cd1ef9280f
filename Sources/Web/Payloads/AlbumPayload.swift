import Bytes
import Media
import Records
import Vault
import Vaults

/// An album as the interface shows it.
struct AlbumPayload: Encodable {
    /// 22 characters of base64url, or as `Album.id` says.
    let id: String
    /// Absent for an album that nobody has made, as are the times.
    let name: String?
    let count: Int
    /// The id of the photo that stands for it; absent where it is empty.
    let cover: String?
    /// How that photo is shown, as `PhotoPayload` has it.
    let coverRotation: Int?
    let coverEdit: EditPayload?
    /// Whether somebody chose the photo that stands for it; else it is the newest.
    let isCoverChosen: Bool
    let createdAt: String?
    let usedAt: String?
    /// Where it stands in the order by hand, the least first; absent where nobody has moved it.
    let place: UInt64?

    init(_ album: Album) {
        id = album.id
        name = album.name
        count = album.count
        cover = album.cover
        coverRotation = album.coverKeeping.rotation == 0 ? nil : album.coverKeeping.rotation
        coverEdit = album.coverKeeping.edit.map(EditPayload.init)
        isCoverChosen = album.isCoverChosen
        createdAt = album.createdAt.map { UTCTime($0).rfc3339 }
        usedAt = album.usedAt.map { UTCTime($0).rfc3339 }
        place = album.place
    }
}

struct AlbumListPayload: Encodable {
    let albums: [AlbumPayload]
}

/// An album that a photo is in.
struct AlbumNamePayload: Encodable {
    let id: String
    let name: String
}

/// A new album from the client.
struct AlbumRequestPayload: Decodable {
    let name: String
    let ids: [String]?
}

/// What is to become of an album.
struct AlbumChangePayload: ChangePayload {
    static let fields: Set = ["name", "cover", "behind"]

    let name: String?
    /// Null takes the newest photo again.
    let cover: PhotoCorrection.Word<String>?
    /// The id of the album behind which it is to stand in the order by hand; null for the first place.
    let behind: PhotoCorrection.Word<String>?

    private enum Key: String, CodingKey { case name, cover, behind }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        cover = try container.decodeWord(String.self, forKey: .cover)
        behind = try container.decodeWord(String.self, forKey: .behind)
    }
}

/// What a person says of a photo.
struct PhotoChangePayload: ChangePayload {
    static let fields: Set = ["caption", "takenAt", "rotation", "edit", "place"]

    let caption: PhotoCorrection.Word<String>?
    let takenAt: PhotoCorrection.Word<String>?
    let rotation: Int?
    /// Null shows the whole picture again.
    let edit: PhotoCorrection.Word<EditPayload>?
    /// Null goes back to what the file says.
    let place: PhotoCorrection.Word<WantedPlacePayload>?

    private enum Key: String, CodingKey { case caption, takenAt, rotation, edit, place }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        caption = try container.decodeWord(String.self, forKey: .caption)
        takenAt = try container.decodeWord(String.self, forKey: .takenAt)
        rotation = try container.decodeIfPresent(Int.self, forKey: .rotation)
        edit =
            switch try container.decodeWord(Named<EditPayload>.self, forKey: .edit) {
            case .said(let said): .said(try said.known())
            case .some(.none): .some(.none)
            case nil: nil
            }
        place = try container.decodeWord(WantedPlacePayload.self, forKey: .place)
    }
}

/// The part of a photo that is shown, and how far the picture is turned so that it stands straight.
struct EditPayload: Codable, ChangePayload {
    static let fields: Set = ["left", "top", "right", "bottom", "angle"]

    /// Shares of width and height, from the left and from the top, before quarter turns.
    let left: Double
    let top: Double
    let right: Double
    let bottom: Double
    /// Degrees clockwise; nil for none.
    let angle: Double?

    init(_ edit: PhotoEdit) {
        let share = { (side: UInt32) in Double(side) / Double(PhotoEdit.whole) }
        (left, top, right, bottom) = (share(edit.left), share(edit.top), share(edit.right), share(edit.bottom))
        angle = edit.angle == 0 ? nil : Double(edit.angle) / 1000
    }

    /// Nil for what is no part of a picture.
    var edit: PhotoEdit? { PhotoEdit(left: left, top: top, right: right, bottom: bottom, angle: angle ?? 0) }
}

extension KeyedDecodingContainer {
    /// Nil where nothing is said, and `none` for null.
    fileprivate func decodeWord<Value: Decodable>(
        _ type: Value.Type, forKey key: Key
    ) throws -> PhotoCorrection.Word<Value>? {
        guard contains(key) else { return nil }
        return try decodeNil(forKey: key) ? .some(.none) : .said(try decode(type, forKey: key))
    }
}

/// What is to be said of photos, or not any more: a heart, that they are no doubles.
struct MarkPayload: Decodable {
    let ids: [String]
    let on: Bool
}

/// How far the clock of these photos' camera was wrong.
struct ShiftPayload: Decodable {
    let ids: [String]
    let minutes: Int
}

/// The photos of a month, the newest first, column by column: entry n of each belongs to the same photo.
struct MonthPayload: Encodable {
    /// Nil for what was searched.
    let month: String?
    /// How the words of a search were read; nil for a month of the timeline, as is how many photos it has found.
    let understood: [UnderstoodPayload]?
    let count: Int?
    let id: [String]
    let name: [String]
    let type: [String]
    let size: [UInt64]
    let receivedAt: [String]
    let takenAt: [String?]
    let width: [Int?]
    let height: [Int?]
    let duration: [Double?]
    let colour: [String?]
    let placeholder: [String?]
    let picture: [String]
    let animated: [Bool?]
    let liveVideo: [String?]
    let raw: [String?]
    let motion: [UInt64?]
    let gainMap: [Bool?]
    let favourite: [Bool?]
    /// Ids of places in the list of them; nil where none of these photos has one.
    let place: [UInt32?]?
    let archived: [Bool?]
    /// Nil where nothing is written in any of them.
    let hasWords: [Bool?]?
    let rotation: [Int?]
    /// Nil where all of them are shown whole.
    let edit: [EditPayload?]?
    /// Null on the last page.
    let cursor: Cursor

    /// Written as null where there is none, not left out.
    struct Cursor: Encodable {
        let text: String?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    init(_ month: CalendarMonth, _ page: PhotoPage, from allowance: Allowance) throws {
        try self.init(month.text, page, from: allowance)
    }

    init(_ found: FoundPhotos, from allowance: Allowance) throws {
        try self.init(
            nil, found.page, found.understood.map(UnderstoodPayload.init), count: found.count, from: allowance)
    }

    private init(
        _ month: String?, _ page: PhotoPage, _ understood: [UnderstoodPayload]? = nil, count: Int? = nil,
        from allowance: Allowance
    ) throws {
        let photos = page.photos
        let facts = try photos.rows(from: allowance) { PhotoFactsPayload($0.details) }
        self.month = month
        self.understood = understood
        self.count = count
        id = photos.map(\.id)
        name = photos.map(\.name)
        type = photos.map(\.type)
        size = photos.map(\.byteCount)
        receivedAt = photos.map { UTCTime($0.receivedAt).rfc3339 }
        takenAt = facts.map(\.takenAt)
        width = facts.map(\.width)
        height = facts.map(\.height)
        duration = facts.map(\.duration)
        colour = facts.map(\.colour)
        placeholder = facts.map(\.placeholder)
        picture = facts.map(\.picture)
        animated = facts.map(\.animated)
        liveVideo = facts.map(\.liveVideo)
        raw = facts.map(\.raw)
        motion = facts.map(\.motion)
        gainMap = facts.map(\.gainMap)
        favourite = facts.map(\.favourite)
        place = facts.contains { $0.placeID != nil } ? facts.map(\.placeID) : nil
        archived = facts.map(\.archived)
        hasWords = photos.contains { $0.details.hasWords } ? facts.map(\.hasWords) : nil
        rotation = facts.map(\.rotation)
        edit = facts.contains { $0.edit != nil } ? facts.map(\.edit) : nil
        cursor = Cursor(text: page.cursor)
    }
}

/// A month and how many photos it has, as a list of two.
struct MonthCountPayload: Encodable {
    let month: CalendarMonth
    let count: Int

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(month.text)
        try list.encode(count)
    }
}
