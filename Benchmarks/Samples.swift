/// Durations of one step, repeated.
struct Samples {
    private let durations: [Duration]

    /// - Parameter body: one repetition; what it does before and after the step itself it keeps out of `measure`.
    init(_ count: Int, _ body: ((() throws -> Void) throws -> Duration) throws -> Duration) rethrows {
        let clock = ContinuousClock()
        durations = try (0..<count).map { _ in try body { step in try clock.measure(step) } }.sorted()
    }

    init(_ durations: [Duration]) {
        self.durations = durations.sorted()
    }

    var median: Duration { durations[durations.count / 2] }

    /// A line of the table, as bytes a second.
    func print(_ name: String, byteCount: Int) {
        printLine(name) { "\(($0.seconds > 0 ? Double(byteCount) / $0.seconds / 1e9 : 0).text(2)) GB/s" }
    }

    /// A line of the table, as time for each of `count` things.
    func print(_ name: String, each count: Int = 1) {
        printLine(name) { duration in
            let seconds = duration.seconds / Double(count)
            return seconds < 0.001 ? "\((seconds * 1e6).text(2)) µs" : "\((seconds * 1e3).text(1)) ms"
        }
    }

    private func printLine(_ name: String, _ text: (Duration) -> String) {
        let (best, worst) = (durations[0], durations[durations.count - 1])
        Swift.print("\(name.padded(40))\(text(median).padded(16))\(text(best).padded(16))\(text(worst))")
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension Double {
    func text(_ digits: Int) -> String {
        let scale = (0..<digits).reduce(1.0) { power, _ in power * 10 }
        let scaled = UInt64((self * scale).rounded())
        let fraction = String(scaled % UInt64(scale))
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(scaled / UInt64(scale)).\(zeros)\(fraction)"
    }
}

extension String {
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
