import NIOCore

/// Puts small pieces of a body together that came with one reading of the socket: each piece that is handed on costs its
/// reader the same, and a client may send each byte as a chunk of its own. Pure.
struct BodyPieces {
    /// Bytes below which a piece is small. A body that is sent as a whole never comes in two of these at once, so that no
    /// copy of a password is left here.
    static let small = 512
    /// Bytes that are put together at most.
    static let most = 8192

    private var held: ByteBuffer?
    /// Whether that is a copy already.
    private var isPutTogether = false

    /// - Returns: what is to be handed on now, in the order in which it came.
    mutating func add(_ piece: ByteBuffer) -> ByteBuffer? {
        let limit = isPutTogether ? Self.most - Self.small : Self.small
        guard var whole = take() else {
            held = piece
            return nil
        }
        guard piece.readableBytes < Self.small, whole.readableBytes < limit else {
            held = piece
            return whole
        }
        whole.writeImmutableBuffer(piece)
        (held, isPutTogether) = (whole, true)
        return nil
    }

    /// What is held back, which is handed on before anything else that happens on the connection.
    mutating func take() -> ByteBuffer? {
        defer { (held, isPutTogether) = (nil, false) }
        return held
    }
}
