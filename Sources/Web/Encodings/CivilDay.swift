import FoundationEssentials

/// Days as people write them to programs: `2026-12-01`, in UTC.
enum CivilDay {
    private static let secondsPerDay: Double = 86_400

    /// - Parameter day: since 1970.
    static func text(_ day: UInt32) -> String {
        String(UTCTime(Date(timeIntervalSince1970: Double(day) * secondsPerDay)).rfc3339.prefix(10))
    }

    /// Nil for anything else, and for days before 1970.
    static func parse(_ text: String) -> UInt32? {
        guard text.utf8.count == 10, let date = UTCTime.parse("\(text)T00:00:00Z") else { return nil }
        let day = date.timeIntervalSince1970 / secondsPerDay
        guard day >= 0, day < Double(UInt32.max), Self.text(UInt32(day)) == text else { return nil }
        return UInt32(day)
    }
}
