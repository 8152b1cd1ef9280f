/// What a service tells its service manager, in the words of sd_notify(3).
package enum ServiceNotice: Sendable, Equatable {
    /// Serving; also ends a reload.
    case ready
    /// One line for people, shown by `systemctl status` to everybody on this host.
    case status(String)
    /// Reading its files again, begun at this time of CLOCK_MONOTONIC.
    case reloading(microseconds: UInt64)
    case stopping
    /// Lives: holds the watchdog off for another interval.
    case alive

    /// Assignments, separated by newlines.
    var text: String {
        switch self {
        case .ready: "READY=1"
        // A newline would begin another assignment.
        case .status(let line): "STATUS=" + line.map { $0.isNewline ? " " : $0 }
        case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
        case .stopping: "STOPPING=1"
        case .alive: "WATCHDOG=1"
        }
    }
}
