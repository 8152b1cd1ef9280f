import FoundationEssentials

/// Tells a clock that is plainly wrong, such as that of a small computer before it has reached a time server.
enum ClockCheck {
    /// 2026-11-01: this version was not there earlier.
    private static let earliest = Date(timeIntervalSince1970: 1_793_491_200)
    /// 2100-01-01: no certificate form of today is expected to be read by then.
    private static let latest = Date(timeIntervalSince1970: 4_102_444_800)

    /// Why no certificate should be dated by this clock; nil when nothing speaks against it.
    /// - Parameter authority: an authority that this host made at an earlier time, if it has one
    static func complaint(now: Date, isTrusted: Bool, authority: Validity?) -> String? {
        if now < earliest { return "it shows a time before this version was made" }
        if now >= latest { return "it shows a time in a later century" }
        if !isTrusted { return "it has jumped since the daemon last ran, and has not yet proved right" }
        if let authority, !authority.hasBegun(at: now) {
            return "it shows a time before this host's authority was made. If it was wrong then and is right now, "
                + "stop the daemon and put the authority that was kept aside back in its place; where there is none, "
                + "remove the folder and trust the new authority on every device"
        }
        return nil
    }
}
