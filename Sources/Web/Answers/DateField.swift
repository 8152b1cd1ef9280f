import FoundationEssentials
import Synchronization

/// The value of `Date`, which stays the same for a second.
enum DateField {
    private static let last = Mutex<(second: Int, text: String)>((.min, ""))

    static var now: String { text(at: Date()) }

    static func text(at moment: Date) -> String {
        let second = Int(moment.timeIntervalSince1970.rounded(.down))
        return last.withLock { last in
            if last.second != second {
                last = (second, UTCTime(Date(timeIntervalSince1970: Double(second))).httpDate)
            }
            return last.text
        }
    }
}
