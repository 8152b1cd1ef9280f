import Synchronization
import TestSupport
import Testing

@testable import Content
@testable import Records

@Suite("Rounds in which removals come to their end")
struct CoalescedRemovalsTests {
    /// A step that the test lets go on.
    private final class Gate: Sendable {
        private let entered = AsyncStream.makeStream(of: Void.self)
        private let left = AsyncStream.makeStream(of: Void.self)

        func pass() async {
            entered.continuation.yield()
            var iterator = left.stream.makeAsyncIterator()
            await iterator.next()
        }

        func awaitEntry() async {
            var iterator = entered.stream.makeAsyncIterator()
            await iterator.next()
        }

        func open() { left.continuation.yield() }
    }

    @Test("those that come while a round runs share the next one, which begins after the pause")
    func shared() async throws {
        let (round, pause, rounds) = (Gate(), Gate(), Counter())
        let removals = CoalescedRemovals(
            round: {
                rounds.add()
                await round.pass()
            }, pause: { _ in await pause.pass() })
        async let first: Void = removals.finish()
        await round.awaitEntry()
        let others = (0..<50).map { _ in Task { try await removals.finish() } }
        round.open()
        try await first
        await pause.awaitEntry()
        #expect(rounds.count == 1)
        // All of them have come by now, or come while the pause lasts.
        while removals.waitingCount < others.count { await Task.yield() }
        pause.open()
        await round.awaitEntry()
        round.open()
        for other in others { try await other.value }
        #expect(rounds.count == 2)
        pause.open()
    }

    @Test("a round that fails says so to all that waited for it, and the next begins anew")
    func failing() async throws {
        let rounds = Counter()
        let removals = CoalescedRemovals(
            round: {
                rounds.add()
                if rounds.count == 1 { throw VaultError.diskFull }
            }, pause: { _ in })
        await #expect(throws: VaultError.diskFull) { try await removals.finish() }
        try await removals.finish()
        #expect(rounds.count == 2)
    }
}
