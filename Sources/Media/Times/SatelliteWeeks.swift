/// Satellites count 1,024 weeks and begin again, as they did on 1999-08-22 and 2019-04-07. Receivers that do not know of it tell
/// dates of so many weeks before.
enum SatelliteWeeks {
    private static let dayMilliseconds: Int64 = 86_400_000
    private static let roundMilliseconds = 1024 * 7 * dayMilliseconds
    /// April of 2002: EXIF had no place for the satellites' date before.
    private static let firstTold: Int64 = 1_017_619_200_000

    /// A round or two later, where that is within a day of what the camera's own clock says; else as it is.
    static func unrolled(_ fix: Int64, near own: Int64) -> Int64 {
        (0...2).map { fix + $0 * roundMilliseconds }.first { ($0 - own).magnitude < dayMilliseconds } ?? fix
    }

    /// Nil for one of before there were any, where the camera's own clock says something later.
    static func believed(_ fix: CaptureTime?, beside own: CaptureTime?) -> CaptureTime? {
        guard var fix, let own else { return fix }
        fix.milliseconds = unrolled(fix.milliseconds, near: own.milliseconds)
        return fix.milliseconds < firstTold && own.milliseconds >= firstTold ? nil : fix
    }

    /// The last change and the satellites' time, the more trusted first. Where they are of different days, the file was edited since.
    static func weighed(change: CaptureTime?, fix: CaptureTime?) -> [CaptureTime?] {
        guard let change, let fix else { return [change, fix] }
        let isOfOneDay = (fix.milliseconds - change.milliseconds).magnitude < UInt64(dayMilliseconds)
        return isOfOneDay ? [change, fix] : [fix, change]
    }
}
