package import FoundationEssentials
package import Media

/// When a client thinks that what it sends was taken, and in which zone. It speaks only where nobody else does: the zone of
/// an instant that the file itself tells, and when, where the file, its name and its time tell nothing.
package struct CaptureHint: Equatable, Sendable {
    package let time: CaptureTime

    /// - Parameter offsetMinutes: east of UTC.
    package init(moment: Date, offsetMinutes: Int) {
        let milliseconds = (moment.timeIntervalSince1970 * 1000).rounded()
        var time = CaptureTime(
            milliseconds: Int64(milliseconds), offsetMinutes: offsetMinutes, isInstant: true, source: .fileTime)
        time.isZoneGuessed = true
        self.time = time
    }

    package init?(encoded: some Collection<UInt8>) {
        guard let time = CaptureTime(encoded: encoded), time.isInstant, time.isZoneGuessed else { return nil }
        self.time = time
    }

    /// Nil for another moment than the one that it is about.
    package func offsetMinutes(at milliseconds: Int64) -> Int? {
        let difference = time.milliseconds.subtractingReportingOverflow(milliseconds)
        return !difference.overflow && difference.partialValue.magnitude < 1000 ? time.offsetMinutes : nil
    }
}
