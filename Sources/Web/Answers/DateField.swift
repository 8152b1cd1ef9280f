import FoundationEssentials
import Synchronization

/// The value of `Date`, which stays the same for a second.
enum DateField {
    private static let last = Mutex<(second: Int, text: String)>((.min, ""))

    static var now: String {
        let now = Date()
        let second = Int(now.timeIntervalSince1970.rounded(.down))
        return last.withLock { last in
            if last.second != second { last = (second, CivilTime(now).httpDate) }
            return last.text
        }
    }
}
