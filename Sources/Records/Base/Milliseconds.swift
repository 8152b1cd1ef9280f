package import FoundationEssentials

/// Times in sealed rows: whole milliseconds since 1970 UTC, in two's complement, for scanned photos carry the day on
/// which they were taken.
package enum Milliseconds {
    package static var now: UInt64 { from(Date()) }

    /// Dates before the year 1 and beyond the year 9999 are clamped.
    package static func from(_ date: Date) -> UInt64 {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        // Converting a value that is no number would trap.
        guard !milliseconds.isNaN else { return 0 }
        return UInt64(bitPattern: Int64(min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_000)))
    }

    package static func date(_ milliseconds: UInt64) -> Date {
        Date(timeIntervalSince1970: Double(Int64(bitPattern: milliseconds)) / 1000)
    }
}
