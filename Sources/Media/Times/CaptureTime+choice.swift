extension CaptureTime {
    /// Photography began then.
    private static let earliestMilliseconds: Int64 = -4_544_208_000_000  // 1826-01-01
    private static let dayMilliseconds: Int64 = 86_400_000

    /// The most trusted time that can be true: what the file says about itself, else when the file was written, else
    /// what its name says.
    /// - Parameters:
    ///   - read: `MediaFacts.takenAt`.
    ///   - fileTime: When the file was last changed, in milliseconds since 1970, as its sender says.
    ///   - now: In the same unit. Nothing was taken more than a day later.
    package static func chosen(read: CaptureTime?, fileTime: Int64?, name: String, now: Int64) -> CaptureTime? {
        let file = fileTime.map { CaptureTime(milliseconds: $0, isInstant: true, source: .fileTime) }
        return [read, file, CaptureTime(name: name)].lazy.compactMap(\.self).first { $0.canBeTrue(now: now) }
    }

    private func canBeTrue(now: Int64) -> Bool {
        let (latest, overflow) = now.addingReportingOverflow(Self.dayMilliseconds)
        return milliseconds >= Self.earliestMilliseconds && (overflow || milliseconds <= latest)
    }
}
