import NIOCore

/// What the kernel knows of a connection's progress. Of megabytes in its send buffer a slow client takes a little at a
/// time, and the process hears of it only when a third of the buffer is free.
enum TCPProgress {
    /// Linux' `struct tcp_info` up to `tcpi_bytes_acked`, which stands behind 120 bytes (include/uapi/linux/tcp.h).
    private struct Information {
        typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64)

        var ahead: (Words, Words, Words)
        var acknowledgedByteCount: UInt64
    }

    /// - Returns: nil where the connection is not TCP, or the kernel does not count
    static func acknowledgedByteCount(of channel: any Channel) -> Int? {
        guard let socket = channel as? any SocketOptionProvider else { return nil }
        var count: UInt64 = 0
        // On the channel's own event loop the answer is there at once.
        let information: EventLoopFuture<Information> = socket.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        information.assumeIsolated().whenSuccess { count = $0.acknowledgedByteCount }
        return count > 0 ? Int(clamping: count) : nil
    }
}
