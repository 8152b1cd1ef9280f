/// An answer without anything to say.
struct EmptyPayload: Encodable {}
