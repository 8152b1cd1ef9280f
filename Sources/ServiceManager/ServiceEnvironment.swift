import Glibc

/// What the service manager says to this process by environment variables.
package struct ServiceEnvironment: Sendable {
    /// Where notices go; nil where nobody asks for any.
    package let notifySocket: NotifySocket?
    /// Within which time one sign of life has to follow the other; nil where nobody watches.
    package let watchdog: Duration?
    package let credentials: Credentials

    private static let taken = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    /// Reads the variables and removes those that are meant for this process alone. To be called once, before there are
    /// threads that read the environment.
    package static func take() -> ServiceEnvironment {
        var variables: [String: String] = [:]
        for name in taken + [Credentials.variable] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        for name in taken { unsetenv(name) }
        return ServiceEnvironment(variables, processID: getpid())
    }

    init(_ variables: [String: String], processID: pid_t) {
        notifySocket = variables["NOTIFY_SOCKET"].flatMap(NotifySocket.init)
        credentials = Credentials(folder: variables[Credentials.variable])
        // Without a process id the watchdog means whoever reads this (sd_watchdog_enabled(3)).
        let isForUs = variables["WATCHDOG_PID"].map { pid_t($0) == processID } ?? true
        let interval = variables["WATCHDOG_USEC"].flatMap(Int64.init).map { Duration.microseconds($0) }
        watchdog = isForUs && notifySocket != nil ? interval.flatMap { $0 > .zero ? $0 : nil } : nil
    }
}
