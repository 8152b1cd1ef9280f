package import Content

/// Public facts; the same whether or not any vault exists.
package struct Hello: Sendable {
    package var registration: Registration
    package var takesGuests: Bool
    /// The largest file taken, in bytes.
    package var fileByteLimit: UInt64
    /// Days that a deleted photo can be restored.
    package var trashDays: Int
}
