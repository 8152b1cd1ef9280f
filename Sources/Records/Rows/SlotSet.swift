import Bytes
import Sealing

/// Twelve slots that open a vault with one secret, as the vault's head lists them.
package struct SlotSet: Equatable, Sendable {
    package enum State: UInt8, Sendable {
        case live = 0
        /// Being written; its secret opens the vault as soon as one slot is on disk.
        case incoming = 1
    }

    package static let replicaCount = SlotRoot.replicaCount

    package var state: State
    /// 0: a password. Others are for further ways into a vault.
    package var kind: UInt8
    package var positions: [UInt32]
    /// First 4 bytes of SHA-256 of each slot's content. Only a slot that still has its hash is ever overwritten.
    package var hashes: [[UInt8]]

    package init(state: State, kind: UInt8 = 0, positions: [UInt32], hashes: [[UInt8]]) {
        self.state = state
        self.kind = kind
        self.positions = positions
        self.hashes = hashes
    }

    package var encoded: [UInt8] {
        [state.rawValue, kind] + positions.flatMap(slotPositionBytes) + hashes.flatMap { $0 }
    }

    package init(_ bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes)
        guard bytes.count == 2 + Self.replicaCount * (3 + slotHashByteCount),
            let state = reader.readUInt8().flatMap(State.init),
            let kind = reader.readUInt8()
        else { throw .damaged }
        self.state = state
        self.kind = kind
        positions = (0..<Self.replicaCount).compactMap { _ in reader.read(3).map(slotPosition) }
        hashes = (0..<Self.replicaCount).compactMap { _ in reader.read(slotHashByteCount).map(Array.init) }
    }

    package var pairs: [(position: UInt32, hash: [UInt8])] {
        zip(positions, hashes).map { (position: $0, hash: $1) }
    }
}
