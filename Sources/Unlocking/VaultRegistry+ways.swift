import Logging
package import Records
import Sealing
import Store
package import Vault

/// Ways into a vault besides the first password.
extension VaultRegistry {
    /// What is to open the vault as well.
    package struct NewWay: Sendable {
        package let kind: Way.Kind
        package let label: String
        /// What the secret may mean; the first is the one that is to open the vault.
        package let roots: [SharedRoot]
        /// Take the place of those of the same kind.
        package var replaces = false
        /// Take it from the vault that it opens now.
        package var rebinds = false

        package init(kind: Way.Kind, label: String, roots: [SharedRoot], replaces: Bool = false, rebinds: Bool = false)
        {
            self.kind = kind
            self.label = label
            self.roots = roots
            self.replaces = replaces
            self.rebinds = rebinds
        }
    }

    /// Sessions that came in this way must end.
    package struct Revocation: Sendable {
        package let vaultUID: [UInt8]
        package let way: WayID
    }

    package struct Addition: Sendable {
        package let way: WayRecord
        /// False for a passkey that opened this vault before.
        package let isNew: Bool
    }

    /// Its row first, then its slots: a crash between leaves a way that opens nothing, and the next opening forgets it.
    /// - Parameter proof: what the secret may mean that is typed once more.
    /// - Throws: `noSuchVault` when the proof does not open this vault, `passwordTaken`, `passkeyBound`,
    ///   `recoveryExists`, `wayInUse` when the proof is what would be replaced, `tooManyWays`, `tooManyAttempts`.
    package func add(
        _ new: NewWay, to vault: OpenVault, proof: [SharedRoot]
    ) async throws -> Addition {
        try await alone { [self] keeper in
            let root = try keeper.prove(proof, of: vault)
            guard let proven = try keeper.slots.find(root) else { throw VaultError.noSuchVault }
            let typed = try keeper.admit(proven, to: vault)
            try keeper.finishRotation(vault, root, typed)
            let replaced = try keeper.replaced(by: new, in: vault)
            // The answer that tells the new code may be lost, and with it the last way in.
            guard !replaced.contains(where: { $0.id == typed }) else { throw VaultError.wayInUse }
            guard vault.ways.count - replaced.count + 1 < WayRecord.most else { throw VaultError.tooManyWays }
            guard let newRoot = new.roots.first else { throw VaultError.noSuchVault }
            // Of a passkey that opens this vault already the slots are its own.
            if try vault.way(at: newRoot.root.slotPositions()) == nil { try keeper.takeSecret(of: vault) }
            if let present = try keeper.place(new, vault) { return Addition(way: present, isNew: false) }
            let sealed = try keeper.seal(new.kind, try vault.duplicateVaultKey(), vault.uid, for: newRoot)
            let way = try keeper.record(new.kind, label: new.label, sealed)
            // A passkey that was taken from another vault a moment ago must not end in none.
            try vault.changeBlocking(mayUseReserve: new.rebinds) { try $0.add(way) }
            try store.slots.write(sealed.writes)
            for way in replaced { try keeper.takeOut(way.id, of: vault) }
            return Addition(way: way, isNew: true)
        }
    }

    /// The way opens nothing on return, over restarts too.
    /// - Throws: `noSuchVault` when the proof does not open this vault, `noSuchWay`, `lastPassword`.
    package func remove(_ way: WayID, of vault: OpenVault, proof: [SharedRoot]) async throws {
        try await alone { keeper in
            _ = try keeper.prove(proof, of: vault)
            guard let kind = vault.kind(of: way) else { throw VaultError.noSuchWay }
            guard try kind != .password || keeper.hasOtherPassword(than: way, vault) else {
                throw VaultError.lastPassword
            }
            try keeper.takeOut(way, of: vault)
        }
    }
}

extension SlotKeeper {
    /// - Returns: the one of the roots that opens this vault.
    /// - Throws: `noSuchVault`.
    package func prove(_ roots: [SharedRoot], of vault: OpenVault) throws -> SharedRoot {
        for root in roots {
            guard let found = try slots.find(root), found.payload.vaultUID == vault.uid else { continue }
            // What a program carries along is no proof of who asks.
            guard vault.kind(of: try admit(found, to: vault)) != .app else { throw VaultError.onlyForApps }
            return root
        }
        throw VaultError.noSuchVault
    }

    /// The way that these slots are.
    ///
    /// A password or code that is not listed, as when a backup was put back whose slots are older than its ledger, opens
    /// all the same, for it may be the only one left; it is listed from now on, so that it can be seen and taken out. A
    /// passkey has to be listed: one that was being bound to another vault opens neither.
    /// - Throws: `noSuchVault`.
    package func admit(_ found: borrowing SlotDirectory.Found, to vault: OpenVault) throws -> WayID {
        // Whatever the list says: a head that was lost has been made anew from what opened the vault.
        guard try !isTakenOut(found.pairs) else { throw VaultError.noSuchVault }
        // Slots of an earlier key, put back by somebody who writes to the disk, open nothing.
        guard vault.hasKey(try presentKey(of: found)) else { throw VaultError.noSuchVault }
        if let way = vault.way(at: found.positions) { return way }
        // While a rotation is not finished, of the slots that hold the old key only those of the password with which it
        // was begun count. Slots that hold the new one were written since.
        let isOfPresentKey = vault.hasKey(found.payload.vaultKey)
        guard let kind = Way.Kind(rawValue: found.payload.type), kind != .passkey,
            vault.head.formerHead == nil || isOfPresentKey
        else { throw VaultError.noSuchVault }
        let way = WayRecord(
            id: try .random(), kind: kind, label: "", createdDay: found.payload.createdDay,
            slotSets: [found.slotSet])
        // A disk that takes no writes must not keep anybody from the photos.
        guard !vault.isReadOnly, let listed = try? list(way, in: vault) else { return way.id }
        return listed
    }

    /// Its slots are to be overwritten, and could not be yet.
    func isTakenOut(_ pairs: [(position: UInt32, hash: [UInt8])]) throws -> Bool {
        let known = pairs.filter { SlotDirectory.isKnown(hash: $0.hash) }
        return try store.ledger.readBlocking { try $0.wipes() }
            .contains { wipe in known.contains { $0.position == wipe.position && $0.hash == wipe.hash } }
    }

    private func list(_ way: WayRecord, in vault: OpenVault) throws -> WayID {
        if way.kind == .password, vault.kind(of: .first) == nil {
            try vault.changeBlocking { $0.draft.head.slotSets = way.slotSets }
            return .first
        }
        guard vault.ways.count + 1 < WayRecord.most else { throw VaultError.tooManyWays }
        try vault.changeBlocking { try $0.add(way) }
        return way.id
    }

    /// A way that was listed and whose slots were never written, or are all gone, opens nothing: it is not shown as one.
    /// A passkey stays: it opens only what lists it, and the list may know older slots of it than stand.
    func forgetWaysWithoutSlots(_ vault: OpenVault) throws {
        for way in vault.ways where way.kind != .passkey {
            guard try slots.standing(way.slotSets.flatMap(\.pairs), orUnreadable: true).isEmpty else { continue }
            try vault.changeBlocking { try $0.removeWay(way.id) }
        }
    }

    /// The same where nothing may keep anybody from the photos.
    func forgetLostWays(_ vault: OpenVault) {
        do {
            try forgetWaysWithoutSlots(vault)
        } catch {
            logger.warning("slots could not be looked at", metadata: ["reason": "\(VaultError(error).code)"])
        }
    }

    /// What opens has to be listed as it stands: only slots whose hash the list knows are ever overwritten. After a
    /// ledger was put back from a copy, the list may know older ones only.
    func listStanding(_ found: borrowing SlotDirectory.Found, of way: WayID, _ vault: OpenVault) throws {
        guard try slots.standing(vault.slotSets(of: way).flatMap(\.pairs)).isEmpty else { return }
        let (positions, standing) = (found.positions, found.slotSet)
        try vault.changeBlocking { change in
            try change.changeSlotSets(of: way) { sets in
                sets.removeAll { $0.positions == positions }
                sets.append(standing)
            }
        }
    }

    fileprivate func replaced(by new: VaultRegistry.NewWay, in vault: OpenVault) throws -> [WayRecord] {
        guard new.kind == .recovery else { return [] }
        let present = vault.ways.filter { $0.kind == .recovery }
        guard present.isEmpty || new.replaces else { throw VaultError.recoveryExists }
        return present
    }

    /// Looks at what the secret opens now, and takes a passkey from another vault.
    /// - Returns: the way that it is in this vault already.
    fileprivate func place(_ new: VaultRegistry.NewWay, _ vault: OpenVault) throws -> WayRecord? {
        guard let root = try pick(new.roots), let found = try slots.find(root) else { return nil }
        guard new.kind == .passkey else { throw VaultError.passwordTaken }
        let other = found.payload.vaultUID == vault.uid ? vault : try openVault(found)
        // In neither: it was cut off on its way from one to the other, and its slots are there to be overwritten.
        guard let way = other.way(at: found.positions) else { return nil }
        if other === vault { return vault.ways.first { $0.id == way } }
        guard new.rebinds else { throw VaultError.passkeyBound }
        // Its slots are written anew in a moment. Until then nobody lists it, so that it never opens both.
        try other.changeBlocking { try $0.removeWay(way) }
        other.beginAccessEpoch()
        registry.note(VaultRegistry.Revocation(vaultUID: other.uid, way: way))
        registry.tidy()
        return nil
    }

    /// One that is listed and has no slots, as after a write that failed, opens nothing.
    fileprivate func hasOtherPassword(than way: WayID, _ vault: OpenVault) throws -> Bool {
        try vault.passwords.contains { other in
            try other != way && !slots.standing(vault.slotSets(of: other).flatMap(\.pairs)).isEmpty
        }
    }

    /// The list and what is to be overwritten change in one transaction; start-up finishes what a power cut leaves,
    /// without keys. Only slots go that still have their hash, so no stranger's replica is hurt.
    fileprivate func takeOut(_ way: WayID, of vault: OpenVault) throws {
        let pairs = try slots.standing(vault.slotSets(of: way).flatMap(\.pairs), orUnreadable: true)
        try vault.changeBlocking { change in
            try change.removeWay(way)
            for pair in pairs { try change.transaction.addWipe(position: pair.position, hash: pair.hash) }
        }
        vault.beginAccessEpoch()
        registry.note(VaultRegistry.Revocation(vaultUID: vault.uid, way: way))
        wipeNowOrLater(pairs)
        registry.tidy()
    }
}
