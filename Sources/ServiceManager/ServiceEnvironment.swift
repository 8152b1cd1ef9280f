import Glibc

/// What the service manager says to this process by environment variables.
package struct ServiceEnvironment: Sendable {
    /// Where notices go; nil where nobody asks for any.
    package let notifySocket: NotifySocket?
    /// Within which time one sign of life has to follow the other; nil where nobody watches.
    package let watchdog: Duration?
    package let credentials: Credentials
    /// Where this program may keep what it remembers: the service's own folder, else that of the user
    /// (XDG Base Directory Specification). Nil where there is none.
    package let stateFolder: String?

    private static let places = ["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"]
    private static let taken = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    /// Reads the variables and removes those that are meant for this process alone. To be called once, before there are
    /// threads that read the environment.
    package static func take() -> ServiceEnvironment {
        var variables: [String: String] = [:]
        for name in taken + places + [Credentials.variable] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        for name in taken { unsetenv(name) }
        return ServiceEnvironment(variables, processID: getpid())
    }

    init(_ variables: [String: String], processID: pid_t) {
        notifySocket = variables["NOTIFY_SOCKET"].flatMap(NotifySocket.init)
        stateFolder = Self.stateFolder(variables)
        credentials = Credentials(folder: variables[Credentials.variable])
        // Without a process id the watchdog means whoever reads this (sd_watchdog_enabled(3)).
        let isForUs = variables["WATCHDOG_PID"].map { pid_t($0) == processID } ?? true
        let interval = variables["WATCHDOG_USEC"].flatMap(Int64.init).map { Duration.microseconds($0) }
        watchdog = isForUs && notifySocket != nil ? interval.flatMap { $0 > .zero ? $0 : nil } : nil
    }

    private static func stateFolder(_ variables: [String: String]) -> String? {
        let given = { (name: String) in variables[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        // systemd separates several by colons (systemd.exec(5)).
        if let own = given("STATE_DIRECTORY")?.split(separator: ":").first { return String(own) }
        if let home = given("XDG_STATE_HOME") { return home + "/safelight" }
        return given("HOME").map { $0 + "/.local/state/safelight" }
    }
}

/// Files that the service manager lays ready for this service alone (LoadCredential= of systemd.exec(5)).
package struct Credentials: Sendable, Equatable {
    package static let variable = "CREDENTIALS_DIRECTORY"

    private let folder: String?

    /// What the service manager gave this process.
    package static var current: Credentials {
        Credentials(folder: getenv(variable).map { String(cString: $0) })
    }

    /// - Parameter folder: absolute; anything else counts as none
    init(folder: String?) {
        self.folder = folder.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Nil where none of that name was given: systemd leaves out what it does not find in a credential store.
    package func path(of name: String) -> String? {
        guard let folder else { return nil }
        let path = "\(folder)/\(name)"
        return access(path, F_OK) == 0 ? path : nil
    }
}

/// A socket that the service manager has opened for us.
package struct InheritedSocket: Sendable, Equatable {
    package let descriptor: CInt
    /// From LISTEN_FDNAMES; empty where none is given.
    package let name: String

    package init(descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }
}

/// Socket activation by the protocol of sd_listen_fds(3).
extension InheritedSocket {
    /// The first descriptor that is handed over (SD_LISTEN_FDS_START).
    static let firstDescriptor: CInt = 3
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Takes the sockets over: they are closed on exec from then on, and the variables that announced them are gone, so
    /// that no child takes them for its own. Empty when there are none for this process. To be called once, before
    /// there are threads that read the environment.
    /// - Throws: `InheritedSocketError` when what was handed over cannot be listened on.
    package static func takeAll() throws(InheritedSocketError) -> [InheritedSocket] {
        var environment: [String: String] = [:]
        for name in variables {
            guard let value = getenv(name) else { continue }
            environment[name] = String(cString: value)
            unsetenv(name)
        }
        let sockets = announced(by: environment, processID: getpid())
        for socket in sockets { try socket.adopt() }
        return sockets
    }

    /// What the variables say; nothing when they are meant for another process or make no sense.
    static func announced(by environment: [String: String], processID: pid_t) -> [InheritedSocket] {
        guard let pid = environment["LISTEN_PID"].flatMap(pid_t.init), pid == processID,
            let count = environment["LISTEN_FDS"].flatMap(CInt.init), count > 0, count <= CInt.max - firstDescriptor
        else { return [] }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { index in
            InheritedSocket(
                descriptor: firstDescriptor + index,
                name: Int(index) < names.count ? String(names[Int(index)]) : "")
        }
    }

    private func adopt() throws(InheritedSocketError) {
        let flags = fcntl(descriptor, F_GETFD)
        guard flags >= 0, fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) == 0 else {
            throw InheritedSocketError(descriptor: descriptor, problem: "is not open")
        }
        guard option(SO_TYPE) == CInt(SOCK_STREAM.rawValue) else {
            throw InheritedSocketError(descriptor: descriptor, problem: "is no stream socket (ListenStream=)")
        }
        // Accept=yes hands over a connection instead, one for each process.
        guard option(SO_ACCEPTCONN) == 1 else {
            throw InheritedSocketError(descriptor: descriptor, problem: "is not listened on (Accept=no)")
        }
    }

    private func option(_ name: CInt) -> CInt? {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}

/// A descriptor that the service manager has handed over and that cannot be used.
package struct InheritedSocketError: Error, Equatable, CustomStringConvertible {
    let descriptor: CInt
    let problem: String

    package var description: String { "Descriptor \(descriptor), handed over by the service manager, \(problem)." }
}
