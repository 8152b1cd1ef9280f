import Bytes
package import Releases

/// When a vault was told of a new version last, and which one it does not want to hear of.
package struct ReminderRecord: Equatable, Sendable {
    /// Whole days between two reminders at least.
    static let pause: UInt32 = 15

    /// Days since 1970.
    package var day: UInt32?
    /// Nor of any before it.
    package var skipped: SemanticVersion?

    init(day: UInt32? = nil, skipped: SemanticVersion? = nil) {
        self.day = day
        self.skipped = skipped
    }

    package func isDue(_ version: SemanticVersion, today: UInt32) -> Bool {
        if let skipped, version <= skipped { return false }
        // A clock that stood in the future must not silence it for ever.
        guard let day else { return true }
        return max(day, today) - min(day, today) > Self.pause
    }
}

extension ReminderRecord {
    /// `day u32` (zero: never told) `‖ skipped version, ASCII`.
    package init(_ bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes)
        guard let day = reader.readUInt32() else { throw .damaged }
        self.day = day == 0 ? nil : day
        let text = String(decoding: bytes.dropFirst(4), as: UTF8.self)
        guard !text.isEmpty else { return }
        guard let version = SemanticVersion(text) else { throw .damaged }
        skipped = version
    }

    package var encoded: [UInt8] {
        (day ?? 0).bigEndianBytes + Array((skipped?.description ?? "").utf8)
    }
}
