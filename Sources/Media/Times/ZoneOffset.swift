/// How far clocks on the wall are from UTC.
enum ZoneOffset {
    /// In minutes, besides whole hours: what some place on earth shows, or has shown since there are digital cameras.
    private static let uneven: Set<Int> = [
        -570, -270, -210, -150, 210, 270, 330, 345, 390, 510, 525, 570, 630, 690, 765, 825,
    ]

    /// Whether clocks of some place are so many minutes ahead of UTC. What is computed from a late fix of satellites, or from
    /// a name that has nothing to do with it, mostly is none of these.
    static func exists(_ minutes: Int) -> Bool {
        (minutes % 60 == 0 && (-12 * 60...14 * 60).contains(minutes)) || uneven.contains(minutes)
    }

    /// What lies between an instant and a clock on the wall, in minutes.
    /// - Parameters: milliseconds since 1970; how far the two may be apart beside their zones.
    static func minutes(from instant: Int64, to clock: Int64, patience: Int64) -> Int? {
        let quarter: Int64 = 900_000
        let (difference, overflow) = clock.subtractingReportingOverflow(instant)
        guard !overflow, difference.magnitude < 86_400_000 else { return nil }
        let (quotient, remainder) = (difference + quarter / 2).dividedDown(by: quarter)
        let minutes = Int(quotient) * 15
        return abs(remainder - quarter / 2) <= patience && exists(minutes) ? minutes : nil
    }
}
