package import Records

/// A door's code as somebody typed or sent it. Whether there is such a door is asked for a guess alone: only by one does it
/// become what a door is looked for with.
package struct DoorCode: Sendable {
    private let token: DoorToken

    /// Nil for anything that is no door's code, or one with a typing error.
    package init?(typed: UnsafeRawBufferPointer) {
        guard let token = DoorToken(ofCredential: typed) else { return nil }
        self.token = token
    }

    package func token(for _: borrowing Guess) -> DoorToken { token }
}
