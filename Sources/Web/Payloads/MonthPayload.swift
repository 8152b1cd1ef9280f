import Bytes
import Records
import Vault
import Vaults

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
    let archived: [Bool?]
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
        archived = facts.map(\.archived)
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
