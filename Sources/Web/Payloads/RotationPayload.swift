/// A vault has another key.
struct RotationPayload: Encodable {
    /// Whether the slots hold it; else the next opening writes it there.
    let finished: Bool
}
