import Bytes
package import Records
package import Sealing
package import Store
import Threads

/// Opens a vault's rows into its library, and finds out what is missing. Blocking.
///
/// The rows stand scattered among all others; one scan of the table against the expected ids is faster than a lookup
/// each. What a row says is taken in at once, so memory is that of the library and of the ids.
package struct VaultLoader {
    /// With keys and ids they take about a megabyte.
    private static let fewRows = 1000

    private let vault: OpenVault
    private var found = RowFindings()
    private var damage = VaultDamage()
    private var lostSerials: [UInt64] = []
    /// Serials of photos whose files the disk cannot show.
    private var doubtfulSerials: [UInt64] = []
    private let checksFiles: Bool

    private init(vault: OpenVault, checksFiles: Bool) {
        self.vault = vault
        self.checksFiles = checksFiles
    }

    /// - Parameters:
    ///   - placeholder: for a head that has to be made anew; it lists the slots that opened the vault.
    ///   - checksFiles: whether objects that the ledger lists are looked for on disk too.
    package static func load(
        uid: [UInt8], vaultKey: consuming SecretBytes, home: RowHome = .vault, engine: UploadEngine,
        placeholder: VaultHead, checksFiles: Bool, neighbour: [UInt8]? = nil, door: DoorSpace? = nil
    ) throws -> OpenVault {
        let vault = try OpenVault(
            uid: uid, vaultKey: vaultKey, home: home, engine: engine, head: placeholder, neighbour: neighbour,
            door: door)
        var loader = VaultLoader(vault: vault, checksFiles: checksFiles)
        if let head = try loader.readHead() {
            try loader.readRows(head.rowCount)
            try loader.healFromCopies(head)
            try loader.settle(head)
        } else {
            try loader.readAllOurs()
            try loader.settleWithoutHead(placeholder)
        }
        try vault.loadUploads()
        // What reading so many rows took for a moment goes back to the system. That looks through all memory of the
        // daemon, which few rows are not worth.
        if loader.found.rows.end > Self.fewRows { _ = vault.engine.threads.start { FreedMemory.giveBack() } }
        return vault
    }

    // MARK: Reading

    /// Nil when the head is gone or damaged. A copy's head is no substitute: with its older counters, new rows would be
    /// written over later ones.
    private func readHead() throws -> VaultHead? {
        let id = try vault.rowID(.head)
        let body = try vault.store.ledger.readBlocking { [home = vault.home] in try $0.row(id, in: home) }
        return try body.flatMap { try vault.headIfSound($0, id: id) }
    }

    private mutating func readRows(_ count: UInt64) throws {
        let expected = try places(ofRows: count)
        let home = vault.home
        var openings = RowOpenings(on: vault.engine.threads) { [vault] in try vault.makeCodec() }
        try vault.store.ledger.readBlocking { reader in
            // A small vault in a large table is found faster row by row.
            if expected.count < (try reader.rowCount(in: home)) / 8 {
                for place in expected {
                    guard let body = try reader.row(place.id, in: home) else { continue }
                    try body.withUnsafeBytes { try openings.append(place.number, place.id, $0, to: &found) }
                }
            } else {
                // Both stand in the order of the ids.
                var rest = expected[...]
                try reader.forEachRow(in: home) { id, body in
                    while let first = rest.first, first.id < id { rest.removeFirst() }
                    guard let place = rest.first, place.id == id else { return }
                    try openings.append(place.number, id, body, to: &found)
                }
            }
        }
        try openings.finish(into: &found)
    }

    /// Where the rows stand in the table, in its order.
    private func places(ofRows count: UInt64) throws -> [(id: RowID, number: UInt64)] {
        let parts = try vault.engine.threads.split(Int(clamping: count)) { [vault] part in
            var codec = try vault.makeCodec()
            return try part.map { (id: try codec.id(of: .item(UInt64($0))), number: UInt64($0)) }
        }
        return parts.joined().sorted { $0.id < $1.id }
    }

    /// Without a head that can be believed: every row of the table that is sealed under this vault's key. Ids tell no
    /// number, so numbers are tried in turn.
    private mutating func readAllOurs() throws {
        var ours: [RowID: [UInt8]] = [:]
        try vault.store.ledger.readBlocking { reader in
            try reader.forEachRow(in: vault.home) { id, body in
                let body = Array(body)
                if try vault.isOurs(body, id: id) { ours[id] = body }
            }
        }
        ours[try vault.rowID(.head)] = nil
        let limit = UInt64(ours.count) * 4 + 4096
        var number: UInt64 = 0
        while !ours.isEmpty, number < limit {
            let id = try vault.rowID(.item(number))
            if let body = ours.removeValue(forKey: id) {
                found.rows.noteUsed(number)
                if !found.rows.numbers.contains(number) { try take(number, id, body) }
            }
            number += 1
        }
    }

    private mutating func take(_ number: UInt64, _ id: RowID, _ body: [UInt8]) throws {
        try vault.withCodec { codec in try body.withUnsafeBytes { try found.take(number, id, $0, &codec) } }
    }

    // MARK: What it means

    private mutating func settle(_ present: VaultHead) throws {
        var head = present
        let matches = found.rows.accumulator == head.accumulator
        let missing = found.rows.missing(of: head.rowCount).count
        // It may be the head that was set back; then its counters would let new rows be written over later ones.
        if !matches { try readAllOurs() }
        found.putChainsTogether()
        damage.isSetBack = !matches && (missing == 0 || found.rows.end > head.rowCount)
        if !matches { trustRows(over: &head) }
        damage.missingEntries = found.rows.missing(of: head.rowCount).count + found.rows.broken.count
        try settle(head, isReadOnly: false)
    }

    /// Counters that are safe with the rows as they were found.
    private func trustRows(over head: inout VaultHead) {
        head.rowCount = max(head.rowCount, found.rows.end)
        head.nextSerial = max(head.nextSerial, (found.entries.map(\.record.serial).max() ?? 0) + 1)
        head.storedByteCount = found.entries.reduce(0) { $0 + $1.record.storedByteCount }
        head.storedByteCount += found.windows.reduce(0) { $0 + $1.record.list.storedByteCount }
    }

    private mutating func settleWithoutHead(_ placeholder: VaultHead) throws {
        found.putChainsTogether()
        damage.isSetBack = true
        var head = placeholder
        head.accumulator = found.rows.accumulator
        // What a row lists is not the first password.
        let listed = found.ways.flatMap(\.slotSets).map(\.positions)
        head.slotSets.removeAll { listed.contains($0.positions) }
        trustRows(over: &head)
        try settle(head, isReadOnly: true)
    }

    private mutating func settle(_ head: VaultHead, isReadOnly: Bool) throws {
        try findMissingObjects()
        // Found by an earlier re-read; named until it verifies again, or is deleted.
        let lost = Set(lostSerials + doubtfulSerials)
        damage.unreadable += found.entries.lazy.map(\.record)
            .filter { $0.damagedAt != nil && !lost.contains($0.serial) }.map(\.name)
        vault.settle(
            VaultDraft(
                head: head, emptyNumbers: found.rows.empty.sorted(by: >),
                keptSessions: found.keptSessions.sorted { ($0.lastDay, $0.openedAt) < ($1.lastDay, $1.openedAt) },
                ways: found.ways.sorted { ($0.createdDay, $0.rowNumber) < ($1.createdDay, $1.rowNumber) },
                albums: found.albums, doors: found.doors, windows: found.windows),
            damage: damage.isNone ? nil : damage, lostSerials: lostSerials, isReadOnly: isReadOnly)
        try vault.library.fill(found.entries, found.batches, found.albums, lost: lost)
    }

    /// A row that is missing or damaged may still stand in a copy of the ledger; it is put back only if all rows
    /// together then match the head, which proves that it is the newest state.
    private mutating func healFromCopies(_ head: VaultHead) throws {
        let missing = found.rows.missing(of: head.rowCount)
        guard !missing.isEmpty, missing.count <= 4096 else { return }
        var healed = self
        var restored: [(id: RowID, body: [UInt8], object: ObjectID?)] = []
        for number in missing {
            let id = try vault.rowID(.item(number))
            let bodies = (try? vault.store.ledger.rowsInCopies(id, in: vault.home)) ?? []
            guard let body = bodies.first(where: { (try? vault.open($0, id: id)) != nil }) else { return }
            try healed.take(number, id, body)
            restored.append((id, body, try vault.open(body, id: id).photoObject))
        }
        guard healed.found.rows.accumulator == head.accumulator else { return }
        self = healed
        let (rows, home) = (restored, vault.home)
        try vault.store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                for row in rows { try transaction.putRow(row.id, row.body, in: home, object: row.object) }
            })
    }

    /// Objects that the ledger does not list, or that have no file of their size, are looked for in quarantine and put
    /// back: somebody may have put an older ledger in place, and then this one again.
    private mutating func findMissingObjects() throws {
        var listed: [ObjectID] = []
        try vault.store.ledger.readBlocking { try $0.forEachObject { listed.append($0) } }
        for entry in found.entries {
            let isListed = listed.containsInOrder(entry.record.object)
            do {
                if isListed, try !checksFiles || hasFile(entry.record) { continue }
                if try hasFile(entry.record) || isRestored(entry.record) {
                    if !isListed { try list(entry.record.object) }
                } else {
                    damage.unreadable.append(entry.record.name)
                    lostSerials.append(entry.record.serial)
                }
            } catch let error as StoreError where error.isOfDisk {
                // What cannot be looked at may be there: it keeps nobody from the other photos, and is not given up.
                damage.unreadable.append(entry.record.name)
                doubtfulSerials.append(entry.record.serial)
            }
        }
        for window in found.windows { try findList(of: window.record, listed) }
    }

    /// One that is gone is written anew once the vault is open: `WindowKeeper` reads it in any case.
    private func findList(of window: WindowRecord, _ listed: [ObjectID]) throws {
        let place = window.list
        guard !listed.containsInOrder(place.object) else { return }
        let objects = vault.store.objects
        func isThere() throws -> Bool { try objects.byteCount(of: place.object) == place.storedByteCount }
        if try isThere() || objects.restoreFromQuarantine(place.object) && isThere() { try list(place.object) }
    }

    private func isRestored(_ record: PhotoRecord) throws -> Bool {
        try vault.store.objects.restoreFromQuarantine(record.object) && hasFile(record)
    }

    private func hasFile(_ record: PhotoRecord) throws -> Bool {
        try vault.store.objects.byteCount(of: record.object) == record.storedByteCount
    }

    private func list(_ object: ObjectID) throws {
        try vault.store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.addObject(object) })
    }
}

extension [ObjectID] {
    /// Whether it is among them; they stand in their order.
    fileprivate func containsInOrder(_ id: ObjectID) -> Bool {
        let place = indices.partitioningIndex { self[$0] >= id }
        return place < count && self[place] == id
    }
}
