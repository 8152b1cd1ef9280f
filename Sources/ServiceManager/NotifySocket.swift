import Glibc

/// The service manager's end for notices: a datagram socket, named by NOTIFY_SOCKET (sd_notify(3)).
package struct NotifySocket: Sendable, Equatable {
    /// How long a manager that reads nothing may keep us waiting.
    private static let patience = timeval(tv_sec: 5, tv_usec: 0)

    /// As the kernel takes it: a path, or a name in the abstract namespace behind a zero byte.
    private let name: [UInt8]

    /// - Parameter text: `/PATH` or `@NAME`; nil for anything else, and for what is too long
    package init?(_ text: String) {
        var bytes = Array(text.utf8)
        let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        guard let first = bytes.first, bytes.count > 1, bytes.count < limit, !bytes.contains(0) else { return nil }
        switch first {
        case UInt8(ascii: "/"): break
        case UInt8(ascii: "@"): bytes[0] = 0
        default: return nil
        }
        name = bytes
    }

    /// Sends notices as one message. Blocking, for at most a few seconds.
    /// - Returns: 0, or the `errno` of what failed
    package func send(_ notices: [ServiceNotice]) -> CInt {
        let socket = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return errno }
        defer { close(socket) }
        var patience = Self.patience
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var message = Array(notices.map(\.text).joined(separator: "\n").utf8)
        let sent = withAddress { address, length in
            sendto(socket, &message, message.count, CInt(MSG_NOSIGNAL), address, length)
        }
        return sent == message.count ? 0 : errno
    }

    private func withAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        // The length ends an abstract name; a path may do without its final zero.
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}

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

/// When a watched service proves that it lives. Each sign of life is earned by a probe that came back; nothing is sent
/// while one is under way, so that a probe that hangs ends in the watchdog's hands.
package struct Heartbeat: Sendable, Equatable {
    /// The time from the beginning of one probe to that of the next.
    let period: Duration

    /// - Parameter watchdog: within which one sign of life has to follow the other
    package init(watchdog: Duration) {
        // Two probes may take their time, or one a whole lot of it, before the watchdog bites.
        period = watchdog / 3
    }

    /// How long to rest after a probe. Also a disk that is slow gets some rest.
    package func pause(afterProbeOf duration: Duration) -> Duration {
        max(period - duration, period / 4)
    }
}
