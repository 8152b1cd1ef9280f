import NIOCore
import NIOPosix

/// The threads that all connections are served by.
package enum ConnectionThreads {
    /// Returns when each of them has come to do something asked of it now.
    /// - Throws: when they have been shut down
    package static func touch() async throws {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            try await loop.submit {}.get()
        }
    }
}
