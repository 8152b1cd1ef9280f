import Foundation
import Synchronization

@testable import Store

/// Writes of slots on their way to the disk. Before one of them `body` runs, as a daemon is killed there: those before it
/// are on disk, it and what follows are not.
final class CutWrites: Sendable {
    private struct State {
        var written: [UInt32] = []
        var isCut = false
    }

    private let slots: SlotTable
    private let cut: Int
    private let body: @Sendable (_ next: UInt32) throws -> Void
    private let state = Mutex(State())

    /// - Parameter count: of slots that are written before.
    init(_ slots: SlotTable, behind count: Int, _ body: @escaping @Sendable (_ next: UInt32) throws -> Void) {
        (self.slots, cut, self.body) = (slots, count, body)
        slots.setRoute { [self] writes in try write(writes) }
    }

    /// Positions of the slots that were written before, where it has come to that.
    var writtenBefore: [UInt32]? { state.withLock { $0.isCut ? $0.written : nil } }

    func end() { slots.setRoute { [slots] writes in try slots.writeHere(writes) } }

    private func write(_ writes: [(position: UInt32, bytes: [UInt8])]) throws {
        let before = state.withLock { $0.isCut ? writes.count : cut - $0.written.count }
        guard before < writes.count else {
            try slots.writeHere(writes)
            state.withLock { if !$0.isCut { $0.written += writes.map(\.position) } }
            return
        }
        try slots.writeHere(Array(writes.prefix(before)))
        try body(writes[before].position)
        try slots.writeHere(Array(writes.dropFirst(before)))
        state.withLock { state in
            state.written += writes.prefix(before).map(\.position)
            state.isCut = true
        }
    }
}
