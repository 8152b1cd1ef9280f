internal import CLinux
import NIOCore
import NIOPosix

/// The threads that all connections are served by.
package enum ConnectionThreads {
    /// Nanoseconds: about what one of them needs for what it finds when it wakes. Threads that compute take milliseconds.
    static let slice: UInt64 = 400_000

    /// Lets them in sooner than those that compute longer at a time: whoever sends waits for them. Advice only: some
    /// kernels do not know it, and a service manager may forbid it.
    static func becomePrompt() {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            loop.execute { linux_set_slice(slice) }
        }
    }

    /// Returns when each of them has come to do something asked of it now.
    /// - Throws: when they have been shut down
    package static func touch() async throws {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            try await loop.submit {}.get()
        }
    }
}
