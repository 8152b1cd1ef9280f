import Glibc
import NIOCore
import Synchronization

/// A descriptor that is given up when there is no other, so that one more connection can be accepted, and opened again
/// as soon as one is free. Whatever connection is accepted in between has the last descriptor, and must not keep it.
final class DescriptorReserve: Sendable {
    private struct State {
        var descriptor: CInt?
        var holders: Set<ObjectIdentifier> = []
        var isClosed = false

        mutating func refill() {
            guard descriptor == nil, !isClosed else { return }
            let opened = open("/dev/null", O_RDONLY | O_CLOEXEC)
            descriptor = opened >= 0 ? opened : nil
        }

        mutating func giveUp() -> Bool {
            guard let descriptor else { return false }
            Glibc.close(descriptor)
            self.descriptor = nil
            return true
        }
    }

    private let state = Mutex(State())

    init() {
        state.withLock { $0.refill() }
    }

    /// - Returns: true when another connection can be accepted at once
    func spend(on error: IOError) -> Bool {
        guard error.errnoCode == EMFILE || error.errnoCode == ENFILE else { return false }
        return state.withLock { $0.giveUp() }
    }

    /// To be told of every connection, before it is admitted.
    func accepted(_ channel: any Channel) {
        let isHolder = state.withLock { state in
            state.refill()
            if state.descriptor == nil { state.holders.insert(ObjectIdentifier(channel)) }
            return state.descriptor == nil
        }
        guard isHolder else { return }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.holders.remove(ObjectIdentifier(channel))
                state.refill()
            }
        }
    }

    /// Whether this connection was accepted with the last descriptor.
    func isHeld(by channel: any Channel) -> Bool {
        state.withLock { $0.holders.contains(ObjectIdentifier(channel)) }
    }

    func close() {
        state.withLock { state in
            _ = state.giveUp()
            state.isClosed = true
        }
    }
}
