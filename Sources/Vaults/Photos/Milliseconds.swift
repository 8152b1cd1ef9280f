import FoundationEssentials

/// Times in sealed rows: whole milliseconds since 1970 UTC.
enum Milliseconds {
    static var now: UInt64 { from(Date()) }

    /// Dates before 1970 and beyond the year 9999 are clamped.
    static func from(_ date: Date) -> UInt64 {
        let milliseconds = date.timeIntervalSince1970 * 1000
        // A comparison with a value that is no number is false, and converting one traps.
        return milliseconds > 0 ? UInt64(min(milliseconds, 253_402_300_799_000)) : 0
    }

    static func date(_ milliseconds: UInt64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
