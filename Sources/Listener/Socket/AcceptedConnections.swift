import NIOCore
import Synchronization

/// Leads accepted connections from their event loops to the task that serves them, and knows all that are open, to tell
/// them when no more requests are taken.
///
/// An `AsyncStream` would drop what waits in it when its reader is cancelled, and an `NIOAsyncChannel` must not be
/// dropped.
final class AcceptedConnections<Connection: Sendable>: Sendable {
    private typealias Reader = CheckedContinuation<Connection?, Never>

    private struct State {
        var waiting: [Connection] = []
        var reader: Reader?
        var open: [ObjectIdentifier: any Channel] = [:]
        var isSocketClosed = false

        /// What the reader, if one waits, is to be told now.
        mutating func takeNext() -> (reader: Reader, next: Connection?)? {
            guard let reader, !waiting.isEmpty || isSocketClosed && open.isEmpty else { return nil }
            self.reader = nil
            return (reader, waiting.isEmpty ? nil : waiting.removeFirst())
        }
    }

    private let state = Mutex(State())

    /// - Returns: false when nothing is taken any more, and the connection has to be closed
    func enter(_ channel: any Channel) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isSocketClosed { state.open[ObjectIdentifier(channel)] = channel }
            return !state.isSocketClosed
        }
        if isTaken {
            channel.closeFuture.whenComplete { _ in self.change { $0.open[ObjectIdentifier(channel)] = nil } }
        }
        return isTaken
    }

    /// Hands a connection on that has entered and is prepared.
    func handOver(_ connection: Connection) {
        change { $0.waiting.append(connection) }
    }

    /// The next connection; nil when the listening socket and all connections are closed. For one reader. Does not end
    /// when its task is cancelled.
    func next() async -> Connection? {
        await withCheckedContinuation { reader in change { $0.reader = reader } }
    }

    /// No other connection enters, and every one that is open ends behind its last request.
    func socketClosed() {
        var channels: [any Channel] = []
        change { state in
            state.isSocketClosed = true
            channels = Array(state.open.values)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    private func change(_ body: (inout State) -> Void) {
        let due = state.withLock { state in
            body(&state)
            return state.takeNext()
        }
        due?.reader.resume(returning: due?.next)
    }
}
