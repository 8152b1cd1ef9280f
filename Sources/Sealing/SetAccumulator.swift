import Bytes

/// A sum modulo 2²⁵⁶ over the authentication codes of a set: one that is added, lost or changed changes the sum,
/// whatever the order.
package struct SetAccumulator: Equatable, Sendable {
    private var high: UInt128 = 0
    private var low: UInt128 = 0

    /// The sum of the empty set.
    package init() {}

    /// The integer in `bytes`, big-endian, modulo 2²⁵⁶: 32 bytes as `bytes` gives them.
    package init(bytes: [UInt8]) {
        for byte in bytes.suffix(32) {
            high = high << 8 | low >> 120
            low = low << 8 | UInt128(byte)
        }
    }

    /// 32 bytes, big-endian.
    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

    /// The integer in 32 bytes, big-endian.
    package init(bytes: UnsafeRawBufferPointer) {
        high = bytes.bigEndian(UInt128.self, at: 0)
        low = bytes.bigEndian(UInt128.self, at: 16)
    }

    /// Adds an element, or another sum.
    package mutating func add(_ other: SetAccumulator) {
        let (sum, carried) = low.addingReportingOverflow(other.low)
        low = sum
        high = high &+ other.high &+ (carried ? 1 : 0)
    }

    package mutating func subtract(_ other: SetAccumulator) {
        let (difference, borrowed) = low.subtractingReportingOverflow(other.low)
        low = difference
        high = high &- other.high &- (borrowed ? 1 : 0)
    }
}
