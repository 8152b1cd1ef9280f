package import Records
import Synchronization

extension OpenVault {
    /// Ways into the vault besides the first password.
    package var ways: [WayRecord] { state.withLock { $0.committed.ways } }

    /// Slots that open the vault, of all ways or of one.
    package func slotSets(of id: WayID? = nil) -> [SlotSet] {
        state.withLock { state in
            let first = id == nil || id == .first ? state.committed.head.slotSets : []
            return first + state.committed.ways.filter { id == nil || $0.id == id }.flatMap(\.slotSets)
        }
    }

    /// The way whose slots stand there.
    package func way(at positions: [UInt32]) -> WayID? {
        state.withLock { state in
            if state.committed.head.slotSets.contains(where: { $0.positions == positions }) { return .first }
            return state.committed.ways.first { $0.slotSets.contains { $0.positions == positions } }?.id
        }
    }

    /// Nil when it is not listed.
    package func kind(of id: WayID) -> Way.Kind? {
        state.withLock { state in
            if id == .first { return state.committed.head.slotSets.isEmpty ? nil : .password }
            return state.committed.ways.first { $0.id == id }?.kind
        }
    }

    /// Those that are listed.
    package var passwords: [WayID] {
        state.withLock { state in
            (state.committed.head.slotSets.isEmpty ? [] : [.first])
                + state.committed.ways.filter { $0.kind == .password }.map(\.id)
        }
    }
}
