import ArgumentParser

/// Exit codes that scripts can rely on; those of sysexits.h where it has one.
extension ExitCode {
    /// Something is damaged or missing; what it is was said.
    static let damaged = ExitCode(1)
    /// The daemon is not running (as the Linux Standard Base has it for status).
    static let notRunning = ExitCode(3)
    /// What was asked for elsewhere did not come (EX_UNAVAILABLE).
    static let unavailable = ExitCode(69)
    /// A question was not answered with what it asked for; nothing was changed.
    static let unconfirmed = ExitCode(73)
    /// A disk took no more, or failed; what was complete before still is (EX_IOERR). Another time it may go well.
    static let incomplete = ExitCode(74)
    /// It may go well another time, without a change of this program's configuration or data (EX_TEMPFAIL): an address cannot
    /// be listened on, a clock is not set, a store does not take the keys.
    static let temporary = ExitCode(75)
    /// The password opens no vault (EX_NOPERM).
    static let refused = ExitCode(77)
    /// The configuration or the data directory cannot be used; nothing was changed (EX_CONFIG).
    static let unusable = ExitCode(78)
}
