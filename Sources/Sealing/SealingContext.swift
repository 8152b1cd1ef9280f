import Bytes

/// What a message is, mixed into its keys, so that no message can stand in another's place. The list is closed.
///
/// Bytes: `safelight/v1/<word>` followed by the argument. No word begins another, and arguments have a fixed size or
/// stand last, so two contexts are never the same bytes.
package struct SealingContext: Sendable {
    package let bytes: [UInt8]

    /// A key slot.
    package static let slot = SealingContext("slot")

    /// A row of the ledger; 16-byte row id.
    package static func row(_ id: [UInt8]) -> SealingContext { SealingContext(bytes: rowPrefix + id) }

    /// One run of an object; the object's 8-byte preamble and the run's number.
    package static func original(preamble: [UInt8], run: UInt32) -> SealingContext {
        SealingContext("original", preamble + run.bigEndianBytes)
    }

    /// A preview; its id.
    package static func preview(_ id: [UInt8]) -> SealingContext { SealingContext("preview", id) }

    /// An unfinished upload; its id.
    package static func upload(_ id: [UInt8]) -> SealingContext { SealingContext("upload", id) }

    /// A guest's row; its id.
    package static func guest(_ id: [UInt8]) -> SealingContext { SealingContext("guest", id) }

    /// A kept session; its id.
    package static func session(_ id: [UInt8]) -> SealingContext { SealingContext("session", id) }

    /// What a door says of itself; its id.
    package static func door(_ id: [UInt8]) -> SealingContext { SealingContext("door", id) }

    /// Made once: rows are many.
    private static let rowPrefix = SealingContext("row").bytes

    private init(_ word: String, _ argument: [UInt8] = []) {
        self.init(bytes: Array("safelight/v1/\(word)".utf8) + argument)
    }

    /// Any bytes: for published vectors only.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
