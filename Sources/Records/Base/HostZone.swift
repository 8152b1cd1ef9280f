import Glibc
import Media

/// The time zone of this host, by the C library's tables.
package enum HostZone {
    /// Minutes east of UTC at a moment, in milliseconds since 1970.
    package static func offsetMinutes(at milliseconds: Int64) -> Int {
        var seconds = time_t(milliseconds.dividedDown(by: 1000).quotient)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return 0 }
        return parts.tm_gmtoff / 60
    }

    /// What a clock on the wall showed here, as milliseconds since 1970 as if that were UTC.
    package static func wallClock(of milliseconds: Int64) -> Int64 {
        milliseconds + Int64(offsetMinutes(at: milliseconds)) * 60_000
    }
}
