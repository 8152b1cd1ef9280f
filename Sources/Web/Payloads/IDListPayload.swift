/// A list of photos from the client.
struct IDListPayload: Decodable {
    let ids: [String]
}
