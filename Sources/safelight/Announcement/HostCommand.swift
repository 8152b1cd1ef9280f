import Glibc

/// A command of this program as somebody types it on this host.
enum HostCommand {
    private static let systemUsers = 1..<uid_t(1000)
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./")

    /// Blocking.
    static func text(_ command: String, dataPath: String) -> String {
        text(command, dataPath: absolute(dataPath), program: program, user: getuid())
    }

    /// - Parameters:
    ///   - program: the path of this executable.
    ///   - user: who runs the daemon. One of the system reads nobody's files; whoever may become root reads them, and
    ///     reaches the daemon's socket.
    static func text(_ command: String, dataPath: String, program: String, user: uid_t) -> String {
        let name = ["/usr/bin/safelight", "/usr/local/bin/safelight"].contains(program) ? "safelight" : quoted(program)
        return "\(systemUsers.contains(user) ? "sudo " : "")\(name) \(command) --data \(quoted(dataPath))"
    }

    private static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.allSatisfy(plain.contains) { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static func absolute(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static var program: String {
        guard let found = realpath("/proc/self/exe", nil) else { return "safelight" }
        defer { free(found) }
        return String(cString: found)
    }
}
