import Glibc

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
