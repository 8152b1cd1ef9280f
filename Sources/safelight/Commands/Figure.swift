import FoundationEssentials

/// Figures as people read them.
enum Figure {
    /// "1.5 GiB", "512 bytes"
    static func bytes(_ count: UInt64) -> String {
        guard count >= 1024 else { return "\(count) bytes" }
        var value = Double(count)
        var unit = ""
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] where value >= 1024 {
            value /= 1024
            unit = next
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// "14,203"
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.indices.map { index in
            let isBreak = index > 0 && (digits.count - index) % 3 == 0
            return (isBreak ? "," : "") + String(digits[index])
        }.joined()
    }

    /// "1 file", "2 files"
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    /// "40 seconds", "3 hours", "12 days"
    static func duration(seconds: UInt64) -> String {
        let (number, unit) =
            switch seconds {
            case ..<120: (seconds, "second")
            case ..<7200: (seconds / 60, "minute")
            case ..<172_800: (seconds / 3600, "hour")
            default: (seconds / 86_400, "day")
            }
        return "\(number) \(unit)\(number == 1 ? "" : "s")"
    }

    /// "2026-11-22 10:00:00 UTC"
    static func time(_ seconds: UInt64) -> String {
        let text = Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
        return text.replacing("T", with: " ").replacing("Z", with: " UTC")
    }
}
