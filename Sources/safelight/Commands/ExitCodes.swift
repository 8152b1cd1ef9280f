import ArgumentParser

/// Exit codes that scripts can rely on; those of sysexits.h where it has one.
extension ExitCode {
    /// Something is damaged or missing; what it is was said.
    static let damaged = ExitCode(1)
    /// What was asked for elsewhere did not come (EX_UNAVAILABLE).
    static let unavailable = ExitCode(69)
    /// The password opens no vault (EX_NOPERM).
    static let refused = ExitCode(77)
    /// The configuration or the data directory cannot be used; nothing was changed (EX_CONFIG).
    static let unusable = ExitCode(78)
}
