import Synchronization

/// How far somebody is with sending photos, as their page says: for the other devices of the vault.
package struct SendingReport: Equatable, Sendable {
    package enum Device: String, Sendable {
        case phone, tablet, computer
    }

    package let device: Device
    package let done: Int
    package let total: Int

    /// - Returns: nil where more is done than there is.
    package init?(device: Device, done: Int, total: Int) {
        guard done >= 0, done <= total else { return nil }
        self.device = device
        self.done = done
        self.total = total
    }

    /// All of it has come.
    package var isOver: Bool { done == total }
}

/// Those of one open vault, in memory alone. A page that is closed in the midst of it says nothing any more, so each
/// holds for a moment only.
package final class SendingReports: Sendable {
    private struct Told {
        let report: SendingReport
        let at: ContinuousClock.Instant
    }

    /// Pages say it every few seconds; one that the browser slows down may miss a turn.
    static let lifetime: Duration = .seconds(12)

    private let told = Mutex<[ObjectIdentifier: Told]>([:])

    package func note(_ report: SendingReport, of session: ObjectIdentifier, at now: ContinuousClock.Instant) {
        told.withLock { told in
            told = told.filter { Self.holds($0.value, at: now) }
            told[session] = report.isOver ? nil : Told(report: report, at: now)
        }
    }

    /// In no order that would tell who is who.
    package func others(than session: ObjectIdentifier, at now: ContinuousClock.Instant) -> [SendingReport] {
        let told = told.withLock { $0 }
        return told.filter { $0.key != session && Self.holds($0.value, at: now) }
            .map(\.value.report).sorted { ($0.total, $0.done) > ($1.total, $1.done) }
    }

    private static func holds(_ told: Told, at now: ContinuousClock.Instant) -> Bool { now - told.at < lifetime }
}
