import Glibc
import Listener
import Logging

/// How many files and connections this process may have open.
enum OpenFiles {
    /// What is open besides connections: the store, the ledger, and the files of uploads and downloads.
    private static let besidesConnections = 1024

    /// Raises the limit to what the system allows, and says so when that is too little.
    static func raiseLimit(for limits: ListenerLimits, logger: Logger) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        if limit.rlim_cur < limit.rlim_max {
            var raised = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        let wanted = needed(for: limits)
        guard limit.rlim_cur < rlim_t(wanted) else { return }
        logger.warning(
            "the system allows fewer open files than the limits of connections need; raise LimitNOFILE or ulimit -Hn, or lower limits.connections",
            metadata: ["allowed": "\(limit.rlim_cur)", "needed": "\(wanted)"])
    }

    private static func needed(for limits: ListenerLimits) -> Int {
        limits.strangerConnectionCount + limits.hostConnectionCount + limits.overflowConnectionCount
            + besidesConnections
    }
}
