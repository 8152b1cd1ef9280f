import Glibc
import Printing

/// One line on standard error with how far it is, how fast, and how long it will take; on something that is no terminal,
/// a line for each tenth.
struct ImportProgress {
    private let label: String
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var shownAt: ContinuousClock.Instant?
    private var shownTenth = -1

    init(_ label: String) {
        self.label = label
        start = clock.now
    }

    /// - Parameters:
    ///   - done: bytes, as is the total.
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
        return ", \(Figure.bytes(UInt64(rate)))/s" + (done < total ? ", \(Figure.duration(seconds: left)) left" : "")
    }
}
