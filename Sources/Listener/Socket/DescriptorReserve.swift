import Glibc
import NIOCore
import Synchronization

/// A descriptor that is given up when there is no other, so that one more connection can be accepted, and opened again
/// when that connection is closed.
final class DescriptorReserve: Sendable {
    private struct State {
        var descriptor: CInt?
        /// Given up, for the connection that is accepted next.
        var isSpent = false
        var holder: ObjectIdentifier?
        var isClosed = false
    }

    private let state = Mutex(State())

    init() {
        state.withLock { Self.refill(&$0) }
    }

    /// - Returns: true when another connection can be accepted at once
    func spend(on error: IOError) -> Bool {
        guard error.errnoCode == EMFILE || error.errnoCode == ENFILE else { return false }
        return state.withLock { state in
            guard let descriptor = state.descriptor else { return false }
            Glibc.close(descriptor)
            state.descriptor = nil
            state.isSpent = true
            return true
        }
    }

    /// To be told of every connection, before it is admitted.
    func accepted(_ channel: any Channel) {
        let isHolder = state.withLock { state in
            if state.isSpent {
                state.isSpent = false
                state.holder = ObjectIdentifier(channel)
                return true
            }
            // Somebody else had taken the descriptor; there may be one again.
            if state.holder == nil { Self.refill(&state) }
            return false
        }
        if isHolder { channel.closeFuture.whenComplete { _ in self.returned() } }
    }

    /// Whether this connection was accepted with the last descriptor.
    func isHeld(by channel: any Channel) -> Bool {
        state.withLock { $0.holder == ObjectIdentifier(channel) }
    }

    func close() {
        state.withLock { state in
            if let descriptor = state.descriptor { Glibc.close(descriptor) }
            state.descriptor = nil
            state.isClosed = true
        }
    }

    private func returned() {
        state.withLock { state in
            state.holder = nil
            Self.refill(&state)
        }
    }

    private static func refill(_ state: inout State) {
        guard state.descriptor == nil, !state.isClosed else { return }
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        state.descriptor = descriptor >= 0 ? descriptor : nil
    }
}
