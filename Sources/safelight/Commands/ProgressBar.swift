import Glibc
import Printing

/// One line on standard error that fills; on something that is no terminal, a line for each tenth.
struct ProgressBar {
    private static let width = 40
    private let label: String
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var shown = -1

    init(_ label: String) { self.label = label }

    mutating func show(_ done: UInt64, of total: UInt64) {
        let percent = total == 0 ? 100 : Int(Double(done) / Double(total) * 100)
        let step = isTerminal ? percent : percent / 10 * 10
        guard step != shown else { return }
        shown = step
        if isTerminal {
            let filled = Self.width * percent / 100
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
            Terminal.show("\r\(label) \(bar) \(percent) %")
        } else {
            Terminal.show("\(label) \(step) %\n")
        }
    }

    func finish() { if isTerminal, shown >= 0 { Terminal.show("\n") } }
}
