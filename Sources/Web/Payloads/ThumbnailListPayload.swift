/// Thumbnails that a client wants, in the order in which it shows them.
struct ThumbnailListPayload: Decodable {
    let ids: [String]
    /// Seconds for which those are waited for that are not made yet.
    let wait: Double?
}
