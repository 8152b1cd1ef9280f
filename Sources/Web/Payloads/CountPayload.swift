/// How many photos a request has changed.
struct CountPayload: Encodable {
    let count: Int
}
