import NIOCore
import Synchronization

/// Lets the requests of one connection begin in their turn, and counts what they take of its event loop: a request that
/// is worked out for long counts as many.
final class RequestMeter: Sendable {
    /// What one request may take and count as one.
    static let usualTime: TimeAmount = .milliseconds(1)

    private let turns: RateLimiter
    private let seat: ConnectionLimiter.Seat
    let executor: EventLoopExecutor
    /// Whether the latest request had to wait for its turn.
    private let hasWaited = Atomic(false)

    init(_ turns: RateLimiter, _ seat: ConnectionLimiter.Seat, _ executor: EventLoopExecutor) {
        self.turns = turns
        self.seat = seat
        self.executor = executor
    }

    /// Returns when the next request may begin, or the next thing of one that counts as a request.
    /// - Throws: when the connection is closed before.
    func waitForTurn(on eventLoop: any EventLoop) async throws {
        settle()
        let turn = turns.ask(for: seat.visitor, as: seat.id, on: eventLoop)
        hasWaited.store(turn != nil, ordering: .relaxed)
        try await turn?.get()
    }

    /// Books what the latest request took beyond what is usual.
    func settle() {
        let hasWaited = hasWaited.exchange(false, ordering: .relaxed)
        let more = executor.takeSpent() - Self.usualTime
        guard more > .zero else { return }
        turns.charge(
            Double(more.nanoseconds) / Double(Self.usualTime.nanoseconds), to: seat.visitor, isCommon: hasWaited)
    }
}
