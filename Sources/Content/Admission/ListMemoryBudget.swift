package import Records
import Synchronization

/// The memory that long lists take: archives, what they are downloaded by, and what became of the files of a form. A few
/// large ones of everybody fit; whoever asks for more is told to come again, and nobody takes what another needs: a
/// neighbour never has more of it than is left to others.
package final class ListMemoryBudget: Sendable {
    private struct State {
        var byteCount = 0
        var byNeighbour: [[UInt8]: Int] = [:]
    }

    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: bytes of all together.
    package init(most: Int) { self.most = most }

    package var byteCount: Int { state.withLock(\.byteCount) }

    /// What one list takes, until it goes.
    package final class Claim: Sendable {
        private let room: ListMemoryBudget
        private let neighbour: [UInt8]
        private let byteCount = Mutex(0)

        fileprivate init(_ room: ListMemoryBudget, _ neighbour: [UInt8]) {
            self.room = room
            self.neighbour = neighbour
        }

        deinit { room.giveBack(byteCount.withLock { $0 }, of: neighbour) }

        /// - Parameters:
        ///   - mayBeAlone: whether the only one has it, however large it becomes.
        ///   - companion: what it is made of, and counts as one with it then.
        /// - Throws: `busy` where there is no room.
        package func grow(by more: Int, mayBeAlone: Bool = false, with companion: Claim? = nil) throws(VaultError) {
            let others = companion?.byteCount.withLock { $0 } ?? 0
            let isTaken = byteCount.withLock { own in
                guard room.take(more, of: neighbour, besides: mayBeAlone ? own + others : nil) else { return false }
                own += more
                return true
            }
            guard isTaken else { throw .busy(retryAfter: .seconds(10)) }
        }
    }

    package func claim(for neighbour: [UInt8]) -> Claim { Claim(self, neighbour) }

    private func take(_ more: Int, of neighbour: [UInt8], besides own: Int?) -> Bool {
        state.withLock { state in
            let held = state.byNeighbour[neighbour, default: 0]
            guard state.byteCount == own || held + more <= most - state.byteCount - more else { return false }
            state.byteCount += more
            state.byNeighbour[neighbour] = held + more
            return true
        }
    }

    private func giveBack(_ byteCount: Int, of neighbour: [UInt8]) {
        state.withLock { state in
            state.byteCount -= byteCount
            let held = state.byNeighbour[neighbour, default: 0] - byteCount
            state.byNeighbour[neighbour] = held > 0 ? held : nil
        }
    }
}
