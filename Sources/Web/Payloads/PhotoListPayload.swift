/// A page of photos; `cursor` is null on the last one.
struct PhotoListPayload: Encodable {
    let photos: [PhotoPayload]
    let cursor: String?

    private enum Key: String, CodingKey { case photos, cursor }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(photos, forKey: .photos)
        try container.encode(cursor, forKey: .cursor)
    }
}
