import Bytes

/// A random 16-byte name that says nothing about what it names.
package struct OpaqueID<Kind>: Hashable, Sendable {
    package static var byteCount: Int { 16 }

    /// Bytes 0..<8, big-endian.
    package let high: UInt64
    /// Bytes 8..<16, big-endian.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil unless there are exactly 16 bytes.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Nil unless there are exactly 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard let id = Array(bytes).withUnsafeBytes({ Self(bytes: $0) }) else { return nil }
        self = id
    }

    /// Nil unless it is 32 lower-case hexadecimal digits, the way file names are written.
    init?(hex: String) {
        guard hex.utf8.count == 32, let high = UInt64(hex.prefix(16), radix: 16),
            let low = UInt64(hex.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
        guard self.hex == hex else { return nil }
    }

    /// Of what lies at a path that ends with it; nil for another path than it has by `pathOf`.
    init?(at path: String, by pathOf: (Self) -> String) {
        guard let id = Self(hex: String(path.suffix(32))), pathOf(id) == path else { return nil }
        self = id
    }

    package var bytes: [UInt8] { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) } }

    package var hex: String { Hexadecimal.encode(bytes) }

    package static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return Self(high: generator.next(), low: generator.next())
    }
}

extension OpaqueID: Comparable {
    /// As their bytes stand in an index.
    package static func < (first: Self, second: Self) -> Bool { (first.high, first.low) < (second.high, second.low) }
}

/// Names a sealed object's file.
package typealias ObjectID = OpaqueID<ObjectKind>
/// Names a sealed row of the ledger.
package typealias RowID = OpaqueID<RowKind>
/// Names a sealed preview.
package typealias PreviewID = OpaqueID<PreviewKind>
/// Names the row of a session that outlives the daemon.
package typealias SessionID = OpaqueID<SessionKind>

/// Names a door's row: the first half of its token's hash.
package typealias DoorID = OpaqueID<DoorKind>

package enum DoorKind {}
package enum ObjectKind {}
package enum RowKind {}
package enum PreviewKind {}
package enum SessionKind {}
