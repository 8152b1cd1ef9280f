import Dispatch
import NIOCore
import Synchronization

/// Pieces of one file, on their way from the thread that reads to the task that sends: a few at a time, so that whoever
/// is slower holds the other back.
final class PieceChannel: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private static let mostWaiting = 4

    private struct State {
        var pieces: [ByteBuffer] = []
        var end: Result<Void, any Error>?
        var isAbandoned = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: 0)

    init() { for _ in 0..<Self.mostWaiting { room.signal() } }

    // MARK: By the thread that reads

    /// Blocking.
    /// - Returns: false once nobody takes them any more.
    func push(_ piece: ByteBuffer) -> Bool {
        room.wait()
        return change { state in
            guard !state.isAbandoned else { return false }
            state.pieces.append(piece)
            return true
        }
    }

    func finish(_ end: Result<Void, any Error> = .success(())) {
        change { $0.end = $0.end ?? end }
    }

    // MARK: By the task that sends

    /// Lets the reader go on with the next file, whatever is left of this one.
    func abandon() {
        change { state in
            state.isAbandoned = true
            state.pieces = []
        }
        room.signal()
    }

    func makeAsyncIterator() -> Iterator { Iterator(channel: self) }

    struct Iterator: AsyncIteratorProtocol {
        let channel: PieceChannel

        func next() async throws -> ByteBuffer? { try await channel.next() }
    }

    private func next() async throws -> ByteBuffer? {
        while true {
            if let piece = state.withLock({ $0.pieces.isEmpty ? nil : $0.pieces.removeFirst() }) {
                room.signal()
                return piece
            }
            if let end = state.withLock({ $0.end }) {
                // What was pushed before the end comes before it.
                guard state.withLock({ $0.pieces.isEmpty }) else { continue }
                try end.get()
                return nil
            }
            await withCheckedContinuation { continuation in
                let isNews = state.withLock { state in
                    guard state.pieces.isEmpty, state.end == nil else { return true }
                    state.waiting = continuation
                    return false
                }
                if isNews { continuation.resume() }
            }
        }
    }

    @discardableResult
    private func change<R: Sendable>(_ body: (inout State) -> R) -> R {
        let (result, waiting) = state.withLock { state in
            let result = body(&state)
            return (result, state.waiting.take())
        }
        waiting?.resume()
        return result
    }
}
