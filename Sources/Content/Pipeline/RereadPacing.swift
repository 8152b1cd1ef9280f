/// When the re-read may go on: at once while nobody has uploaded since it was last quiet; else after a quiet moment; and
/// where uploads never pause, for as long as it waited.
package struct RereadPacing: Sendable {
    package enum Verdict: Equatable {
        case go
        /// Ask again then.
        case wait(Duration)
    }

    /// How long nobody may have uploaded.
    package let quiet: Duration
    /// How long it waits for that.
    package let patience: Duration
    /// Uploads so far, when it was last seen that none runs.
    private var calmAt: UInt64?
    private var waitingSince: ContinuousClock.Instant?
    private var workingUntil: ContinuousClock.Instant?
    /// Its last verdict was to go although uploads run: it has waited for long.
    package private(set) var isOverdue = false

    package init(quiet: Duration, patience: Duration) {
        self.quiet = quiet
        self.patience = patience
    }

    package init(_ limits: VaultLimits) {
        self.init(quiet: limits.quietBeforeReread ?? .zero, patience: limits.patienceBeforeReread)
    }

    /// - Parameters:
    ///   - inFlight: uploads that run.
    ///   - admitted: uploads so far.
    package mutating func verdict(inFlight: Int, admitted: UInt64, now: ContinuousClock.Instant) -> Verdict {
        isOverdue = false
        if inFlight == 0, calmAt == admitted {
            waitingSince = nil
            return .go
        }
        if let workingUntil, now < workingUntil {
            isOverdue = true
            return .go
        }
        let since = waitingSince ?? now
        guard now - since < patience else {
            waitingSince = nil
            workingUntil = now + patience
            isOverdue = true
            return .go
        }
        waitingSince = since
        calmAt = inFlight == 0 ? admitted : nil
        return .wait(quiet)
    }
}
