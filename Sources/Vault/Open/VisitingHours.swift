import Glibc
import Records

/// When somebody may come who is not there, as far as anybody can tell: now and then, and not in the night.
enum VisitingHours {
    private static let dayMilliseconds = 24 * hourMilliseconds
    private static let hourMilliseconds: Int64 = 3_600_000
    /// By the clock on the wall.
    private static let begin = 8 * hourMilliseconds
    private static let end = 23 * hourMilliseconds

    /// A day later on average; each moment is as likely as any other, whatever went before, but for the night, whose
    /// visits are those of the next day.
    /// - Parameter now: milliseconds since 1970.
    static func next(after now: Int64) -> Int64 {
        let wait = -log(Double.random(in: .ulpOfOne...1)) * Double(dayMilliseconds)
        let moment = now + Int64(wait)
        let onTheWall = HostZone.wallClock(of: moment)
        let time = onTheWall.dividedDown(by: dayMilliseconds).remainder
        if (begin..<end).contains(time) { return moment }
        let untilMorning = (begin - time + dayMilliseconds) % dayMilliseconds
        return moment + untilMorning + .random(in: 0..<end - begin)
    }
}
