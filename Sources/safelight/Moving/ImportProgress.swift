import Glibc
import Printing

/// One line on standard error with how far it is, how fast, and how long it will take; on something that is no terminal,
/// a line for each tenth.
struct ImportProgress {
    /// What is counted.
    enum Unit {
        case bytes
        case photos

        /// Of so many in a second: "3 MB/s", "12 photos/s".
        func speed(_ rate: Double) -> String {
            switch self {
            case .bytes: "\(Figure.bytes(UInt64(rate)))/s"
            // Less than one in a second is told as how many in a minute.
            case .photos where rate < 1: "\(Figure.count(Int((rate * 60).rounded()), "photo", "photos"))/min"
            case .photos: "\(Figure.count(Int(rate.rounded()), "photo", "photos"))/s"
            }
        }
    }

    private let label: String
    private let unit: Unit
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var shownAt: ContinuousClock.Instant?
    private var shownTenth = -1

    init(_ label: String, of unit: Unit = .bytes) {
        self.label = label
        self.unit = unit
        start = clock.now
    }

    /// - Parameters:
    ///   - done: so many of the unit, as is the total.
    mutating func show(_ done: UInt64, of total: UInt64) {
        let percent = total == 0 ? 100 : min(100, Int(Double(done) / Double(total) * 100))
        if isTerminal {
            let now = clock.now
            if let shownAt, now - shownAt < .milliseconds(200), percent < 100 { return }
            shownAt = now
            Terminal.show("\r\(label): \(percent) %\(pace(done, total, now - start))\u{1B}[K")
        } else if percent / 10 > shownTenth {
            shownTenth = percent / 10
            Terminal.show("\(label): \(shownTenth * 10) %\(pace(done, total, clock.now - start))\n")
        }
    }

    func finish() { if isTerminal, shownAt != nil { Terminal.show("\n") } }

    private func pace(_ done: UInt64, _ total: UInt64, _ time: Duration) -> String {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        guard seconds > 1, done > 0, done <= total else { return "" }
        let rate = Double(done) / seconds
        let left = UInt64(Double(total - done) / rate)
        return ", \(unit.speed(rate))" + (done < total ? ", \(Figure.duration(seconds: left)) left" : "")
    }
}
