package import Records
package import Sealing
import Store

/// Finds, writes and heals the slots of vaults. Blocking, and used only on the registry's one thread, which is the lock
/// of all writers of slots.
package struct SlotDirectory {
    let store: Store

    /// What a password found: the newest payload, and how its twelve replicas stand.
    package struct Found: ~Copyable {
        package let payload: SlotPayload
        package let positions: [UInt32]
        /// For each position, whether the slot there is of the newest generation.
        let stands: [Bool]
        /// For each position, the hash of the slot there if it opens under this password, else zeros, which match
        /// nothing: the place then belongs to somebody else.
        package let hashes: [[UInt8]]

        package var standing: Int { stands.count { $0 } }
        package var pairs: [(position: UInt32, hash: [UInt8])] {
            zip(positions, hashes).map { (position: $0, hash: $1) }
        }

        /// How a head lists these slots.
        package var slotSet: SlotSet { SlotSet(state: .live, positions: positions, hashes: hashes) }
    }

    /// All twelve replicas are tried, whatever the first ones say. One that is damaged, or that the disk cannot read, does
    /// not stand.
    /// - Throws: what does not mean that no vault is here, such as `SealingError.memoryNotLockable`: somebody could make
    ///   one over the slots of another.
    func find(_ root: SharedRoot) throws -> Found? {
        let positions = try root.root.slotPositions()
        let key = try root.root.slotKey()
        let contents = try store.slots.readReplicas(positions)
        var newest: UInt64?
        var generations: [UInt64?] = []
        for content in contents {
            let generation = try Self.generation(of: content, under: key)
            generations.append(generation)
            if let generation { newest = max(newest ?? 0, generation) }
        }
        guard let newest, let index = generations.firstIndex(of: newest), let content = contents[index],
            let payload = try SlotPayload.open(content, under: key)
        else { return nil }
        let hashes = try zip(contents, generations).map { content, generation -> [UInt8] in
            guard let content, generation != nil else { return [UInt8](repeating: 0, count: slotHashByteCount) }
            return try slotHash(content)
        }
        return Found(payload: payload, positions: positions, stands: generations.map { $0 == newest }, hashes: hashes)
    }

    /// Nil when the slot is not this key's, or commits to it and fails its tag: the other replicas stand in for it.
    static func generation(of content: [UInt8]?, under key: borrowing SecretBytes) throws -> UInt64? {
        guard let content else { return nil }
        do {
            return try SlotPayload.open(content, under: key)?.generation
        } catch SealingError.damaged {
            return nil
        }
    }

    static let noPositions = [UInt32](repeating: 0, count: SlotSet.replicaCount)
    static let noHashes = [[UInt8]](
        repeating: [UInt8](repeating: 0, count: slotHashByteCount), count: SlotSet.replicaCount)

    /// Zeros stand for a hash that nobody knows.
    static func isKnown(hash: [UInt8]) -> Bool { hash.contains { $0 != 0 } }

    /// Those whose content still has its hash, each position once.
    /// - Parameter orUnreadable: whether those count that the disk cannot read. They open nothing now, and may another
    ///   time; what is known of them is the hash that is given.
    func standing(
        _ pairs: [(position: UInt32, hash: [UInt8])], orUnreadable: Bool = false
    ) throws -> [(position: UInt32, hash: [UInt8])] {
        var standing: [UInt32: [UInt8]] = [:]
        for (position, hash) in pairs {
            let content = try store.slots.readIfReadable(position)
            let stands = try content.map { try slotHash($0) == hash } ?? (orUnreadable && Self.isKnown(hash: hash))
            if stands { standing[position] = hash }
        }
        return standing.map { (position: $0.key, hash: $0.value) }
    }

    /// Twelve sealed slots, not written yet.
    func seal(_ payload: borrowing SlotPayload, for root: SharedRoot) throws -> SealedSet {
        let key = try root.root.slotKey()
        let slots = try (0..<SlotSet.replicaCount).map { _ in try payload.seal(under: key) }
        return SealedSet(positions: try root.root.slotPositions(), slots: slots)
    }

    /// Twelve slots ready to be written, and how a head lists them.
    package struct SealedSet: Sendable {
        let positions: [UInt32]
        let slots: [[UInt8]]

        func slotSet(_ state: SlotSet.State) throws -> SlotSet {
            SlotSet(state: state, positions: positions, hashes: try slots.map(slotHash))
        }

        var writes: [(position: UInt32, bytes: [UInt8])] {
            zip(positions, slots).map { (position: $0, bytes: $1) }
        }
    }
}
