/// A stretch of locked memory that belongs to exactly one `SecretBytes` at a time.
///
/// `@unchecked Sendable`: the address is a number to everybody but the one `~Copyable` owner of the block, and the
/// owner's `borrowing` and `mutating` methods order reads and writes.
struct LockedBlock: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    /// Usable bytes, at least as many as were asked for.
    let byteCount: Int
}
