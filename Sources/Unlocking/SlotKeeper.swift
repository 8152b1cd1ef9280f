import Logging
package import Records
package import Sealing
package import Store
package import Vault

/// What only one may do at a time: read and write slots, open vaults, and change what opens them. It exists within
/// `VaultRegistry.alone` only, on the one thread that is the lock of all writers, and cannot be taken out of there.
package struct SlotKeeper: ~Copyable {
    package let registry: VaultRegistry
    let slots: SlotDirectory

    init(_ registry: VaultRegistry) {
        self.registry = registry
        slots = SlotDirectory(store: registry.store)
    }

    package var store: Store { registry.store }
    var logger: Logger { registry.logger }

    /// The new vault's slots are on disk. It opens without that being known, too, but its slots are written once more.
    func confirmSlots(of vault: OpenVault) {
        do {
            try vault.changeBlocking { change in
                try change.changeSlotSets(of: .first) { sets in
                    for index in sets.indices { sets[index].state = .live }
                }
            }
        } catch {
            logger.warning("a new vault's slots are not noted", metadata: ["reason": "\(VaultError(error).code)"])
        }
    }

    /// Slots of a way that did not stand before, not written yet.
    package func seal(
        _ kind: Way.Kind, _ vaultKey: borrowing SecretBytes, _ uid: [UInt8], for root: SharedRoot
    ) throws -> SlotDirectory.SealedSet {
        let payload = SlotPayload(
            type: kind.rawValue, flags: 0, epoch: 0,
            vaultKey: try vaultKey.duplicate(), vaultUID: uid, generation: try nextGeneration(of: root),
            createdDay: UInt32(clamping: registry.today()))
        return try slots.seal(payload, for: root)
    }

    /// Slots of an earlier time, which nobody lists, may open under the same secret; the new ones count.
    func nextGeneration(of root: SharedRoot) throws -> UInt64 { (try slots.find(root)?.payload.generation ?? 0) + 1 }

    package func record(_ kind: Way.Kind, label: String, _ sealed: SlotDirectory.SealedSet) throws -> WayRecord {
        WayRecord(
            id: try .random(), kind: kind, label: label, createdDay: UInt32(clamping: registry.today()),
            slotSets: [try sealed.slotSet(.live)])
    }

    /// The one that has slots, unless they are only there to be overwritten.
    func pick(_ roots: [SharedRoot]) throws -> SharedRoot? {
        for root in roots {
            guard let found = try slots.find(root), try !isTakenOut(found.pairs) else { continue }
            return root
        }
        return nil
    }

    func repair(
        _ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot, _ way: WayID
    ) {
        do {
            try finishInterruptedChange(vault, found, root, way)
            try finishRotation(vault, root, way)
            try forgetRefused(vault)
            // Finishing writes them anew, and so does healing.
            if let present = try slots.find(root) { try heal(vault, present, root, way) }
            if let present = try slots.find(root) { try listStanding(present, of: way, vault) }
            try forgetWaysWithoutSlots(vault)
        } catch {
            // A disk that takes no writes must not keep anybody from the photos; the next opening tries again.
            logger.warning("slots could not be repaired", metadata: ["reason": "\(VaultError(error).code)"])
        }
    }

    package func openVault(_ found: borrowing SlotDirectory.Found) throws -> OpenVault {
        let uid = found.payload.vaultUID
        let key = try presentKey(of: found)
        let other = registry.known(uid)
        if let other, other.hasKey(key) { return other }
        let vault = try VaultLoader.load(
            uid: uid, vaultKey: key, engine: registry.engine,
            placeholder: VaultHead(
                createdDay: registry.today(),
                slotSets: found.payload.type == Way.Kind.password.rawValue ? [found.slotSet] : []),
            checksFiles: registry.checksFiles)
        // Slots of an earlier key that were put back lead to no head; they must not keep anybody from the photos.
        guard other == nil || !vault.isReadOnly else { throw VaultError.noSuchVault }
        registry.remember(vault)
        return vault
    }

    /// With half of the replicas gone or fewer, all are written anew; a normal opening writes nothing.
    private func heal(
        _ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot, _ way: WayID
    ) throws {
        guard found.standing <= SlotSet.replicaCount / 2 else { return }
        try rewrite(vault, found, root, way)
    }

    /// New slots for the same secret. They are listed before they are written, beside the ones that stand: who takes
    /// the way out does not have its secret, and must find them all.
    func rewrite(
        _ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot, _ way: WayID,
        _ state: SlotSet.State = .live
    ) throws {
        let isIncoming = state == .incoming
        let payload = SlotPayload(
            type: found.payload.type, flags: 0, epoch: 0,
            vaultKey: try vault.duplicateVaultKey(), vaultUID: vault.uid, generation: found.payload.generation + 1,
            createdDay: found.payload.createdDay,
            oldPositions: isIncoming ? found.payload.oldPositions : SlotDirectory.noPositions,
            oldHashes: isIncoming ? found.payload.oldHashes : SlotDirectory.noHashes)
        try write(try slots.seal(payload, for: root), state, way, vault, standing: isIncoming ? nil : found.slotSet)
    }

    /// - Parameter standing: what is there now, at the same positions.
    package func write(
        _ sealed: SlotDirectory.SealedSet, _ state: SlotSet.State, _ way: WayID, _ vault: OpenVault,
        standing: SlotSet? = nil
    ) throws {
        let set = try sealed.slotSet(state)
        try vault.changeBlocking { change in
            try change.changeSlotSets(of: way) { sets in
                sets.removeAll { $0.positions == set.positions }
                if let standing { sets.append(standing) }
                sets.append(set)
            }
        }
        try store.slots.write(sealed.writes)
        guard let standing else { return }
        try vault.changeBlocking { change in
            try change.changeSlotSets(of: way) { sets in sets.removeAll { $0 == standing } }
        }
    }

    /// Overwrites slots that stand in `wipe`, and takes them from there. What a power cut leaves, or a sector that cannot
    /// be read, start-up finishes.
    package func wipe(_ pairs: [(position: UInt32, hash: [UInt8])]) throws {
        let unreadable = try store.slots.overwriteWithFiller(pairs)
        let overwritten = pairs.map(\.position).filter { !unreadable.contains($0) }
        try store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.removeWipes(overwritten) })
    }

    /// Overwrites slots; lists in `wipe` those that the disk cannot read, so that they open nothing another time.
    func overwrite(_ pairs: [(position: UInt32, hash: [UInt8])]) throws {
        let unreadable = try store.slots.overwriteWithFiller(pairs)
        guard !unreadable.isEmpty else { return }
        try store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                for pair in pairs where unreadable.contains(pair.position) && SlotDirectory.isKnown(hash: pair.hash) {
                    try transaction.addWipe(position: pair.position, hash: pair.hash)
                }
            })
    }

    /// The same behind a commit that has taken the way out: whatever happens now, it is out, and its sessions must end.
    func wipeNowOrLater(_ pairs: [(position: UInt32, hash: [UInt8])]) {
        do {
            try wipe(pairs)
        } catch {
            logger.warning(
                "slots could not be overwritten; the next start does it",
                metadata: ["reason": "\(VaultError(error).code)"])
        }
    }
}

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
