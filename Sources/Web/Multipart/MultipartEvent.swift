package import NIOCore

/// What a `MultipartParser` found next.
package enum MultipartEvent: Equatable, Sendable {
    /// A part begins; its body follows.
    case partBegin(MultipartPart)
    /// The next bytes of the current part's body: a slice of what was pushed, never empty.
    case body(ByteBuffer)
    /// The current part is complete.
    case partEnd
}
