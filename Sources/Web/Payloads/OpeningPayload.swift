/// A vault has been opened. Nothing can have moved in while there are no guests.
struct OpeningPayload: Encodable {
    let kind = "vault"
    let migrated = 0
    let duplicates = 0
    let pending = 0
}
