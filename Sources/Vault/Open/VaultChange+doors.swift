package import Records
package import Sealing
package import Store
import Synchronization

/// A door with what only its row holds.
package struct DoorKeys: Sendable {
    package let token: DoorToken
    /// Of its key pair.
    package let seed: SharedSecret

    init(_ secret: borrowing SecretBytes) throws {
        token = try DoorToken(ofSecret: secret)
        seed = SharedSecret(try deriveDoorKey(.seed, from: secret))
    }
}

extension OpenVault {
    /// The oldest first.
    package var doors: [DoorRecord] {
        state.withLock { $0.committed.doors }.values.map(\.record).sorted { $0.createdAt < $1.createdAt }
    }

    package func album(named name: String) -> AlbumID? {
        guard let name = try? AlbumName(name) else { return nil }
        return state.withLock { $0.committed.albums }.values.first { name.isName(of: $0.record) }?.record.id
    }

    /// Blocking; from the door's row.
    /// - Throws: `noSuchDoor`.
    package func keys(of name: DoorName) throws -> DoorKeys {
        try followingRotation {
            guard let entry = state.withLock({ $0.committed.doors[name] }) else { throw VaultError.noSuchDoor }
            return try store.ledger.readBlocking { reader in
                let chain = try chain(from: entry.rowNumber) { try reader.row($0, in: home) }
                guard chain.first?.piece.kind == .door else { throw VaultError.noSuchDoor }
                return try DoorKeys(fileKey(of: chain).bytes)
            }
        }
    }
}

extension VaultChange {
    /// - Throws: `tooManyDoors`.
    package mutating func makeDoor(_ terms: DoorTerms) throws -> DoorRecord {
        guard draft.doors.count < DoorRecord.most else { throw VaultError.tooManyDoors }
        let secret = SharedSecret(try SecretBytes(random: RowPiece.fileKeyByteCount))
        let keys = try DoorKeys(secret.bytes)
        let entry = DoorEntry(
            rowNumber: takeNumber(), record: DoorRecord(id: try DoorName(), terms: terms, now: Milliseconds.now))
        try write(entry, secret, over: [])
        try transaction.put(
            DoorNotice(terms: terms, publicKey: try DoorSeal.publicKey(ofSeed: keys.seed.bytes)), of: keys.token)
        return entry.record
    }

    /// - Throws: `noSuchDoor`.
    package mutating func updateDoor(_ name: DoorName, _ body: (inout DoorRecord) throws -> Void) throws {
        var (entry, chain) = try door(name)
        let secret = try vault.fileKey(of: chain)
        // What a later version wrote beside it is in the row alone.
        entry.record = try DoorRecord(chain.flatMap(\.piece.payload))
        let before = entry.record.terms
        try body(&entry.record)
        try write(entry, secret, over: chain)
        guard entry.record.terms != before else { return }
        let (keys, terms) = (try DoorKeys(secret.bytes), entry.record.terms)
        if try transaction.door(keys.token.id) == nil {
            // Its days were over.
            try transaction.put(
                DoorNotice(terms: terms, publicKey: try DoorSeal.publicKey(ofSeed: keys.seed.bytes)), of: keys.token)
        } else {
            try transaction.changeNotice(of: keys.token) { $0.terms = terms }
        }
    }

    /// What comes again by the same door counts once: a phone that sends all it has each night would fill the door with what
    /// it gave long ago. Only where the same device sent it both times: the room that is left is told to all who come, and
    /// must not say whether somebody else gave that photo. Nor does it change by what else the vault has.
    package func noteGivenAgain(_ again: Given, _ byteCount: UInt64, as kept: LibraryPhoto) throws {
        guard let given = kept.given, given.door == again.door, let sender = again.sender, given.sender == sender,
            draft.doors[again.door] != nil
        else { return }
        let token = try DoorToken(ofSecret: vault.fileKey(of: try door(again.door).1).bytes)
        // Its days may be over.
        guard try transaction.door(token.id) != nil else { return }
        try transaction.changeNotice(of: token) { $0.takeBack(byteCount) }
        vault.engine.guestAdmission.giveBackGift(byteCount, of: sender, at: token.id)
    }

    /// Nobody comes by it any more.
    /// - Throws: `noSuchDoor`.
    package mutating func removeDoor(_ name: DoorName) throws {
        let (_, chain) = try door(name)
        let token = try DoorToken(ofSecret: vault.fileKey(of: chain).bytes)
        for row in chain { try makeEmpty(row.number) }
        draft.doors[name] = nil
        try transaction.deleteDoor(token.id)
    }

    private func door(_ name: DoorName) throws -> (DoorEntry, [OpenVault.ChainRow]) {
        guard let entry = draft.doors[name] else { throw VaultError.noSuchDoor }
        return (entry, try chain(from: entry.rowNumber))
    }

    private mutating func write(_ entry: DoorEntry, _ secret: SharedSecret, over chain: [OpenVault.ChainRow]) throws {
        for row in chain.dropFirst() { try makeEmpty(row.number) }
        try putChain(.door, payload: entry.record.encoded, first: entry.rowNumber, fileKey: secret)
        draft.doors[entry.record.id] = entry
    }

    // MARK: What waits for a look

    /// The owner has looked at it and wants it: it joins the album of its door's name.
    /// - Returns: how many of them waited.
    package mutating func takeWaiting(_ serials: [UInt64], today: UInt32) throws -> Int {
        try settleWaiting(serials) { change, photo, given in
            let album = try AlbumName(given.doorName).text
            let id = try change.albumToJoin(album)
            try change.update(at: photo.rowNumber) { $0.keeping.albums.append(id) }
            guard photo.verifiedAt != nil, photo.damagedAt == nil, let sha256 = photo.sha256,
                let taken = try change.current(photo.serial, in: change.vault.library)
            else { return }
            _ = try change.settleDuplicates(of: taken, sha256, today)
        }
    }

    /// The owner does not want it: it lies in "Recently deleted" from now on.
    package mutating func refuseWaiting(_ serials: [UInt64], at moment: UInt64) throws -> Int {
        try settleWaiting(serials) { change, photo, _ in
            try change.update(at: photo.rowNumber) { $0.deletedAt = moment }
        }
    }

    private mutating func settleWaiting(
        _ serials: [UInt64], _ settle: (inout VaultChange, LibraryPhoto, Given) throws -> Void
    ) throws -> Int {
        var count = 0
        for serial in serials {
            guard let photo = try current(serial, in: vault.library), !photo.isHeld, let given = photo.given,
                given.isWaiting
            else { continue }
            try update(at: photo.rowNumber) { $0.given?.isWaiting = false }
            guard let shown = try current(serial, in: vault.library) else { continue }
            try settle(&self, shown, given)
            count += 1
        }
        return count
    }
}

/// What programs have sent by a door's code and the vault has taken since: so that each is told what it sent itself when
/// it asks before it sends again. It goes with the vault's keys; what is sent once more then is dropped as a duplicate.
package final class SentThroughDoors: Sendable {
    package struct Sent: Sendable {
        /// Folders of the program that sent it, and its name there; the name alone, as programs see it, where no folder is known.
        package let place: [String]
        package let type: String
        package let byteCount: UInt64
        /// Nil until it was read back.
        package let sha256: [UInt8]?
        /// Milliseconds since 1970, as the following.
        package let receivedAt: UInt64
        package let modifiedAt: UInt64?

        package init(_ photo: LibraryPhoto, at place: [String]) {
            self.place = place
            (type, byteCount, sha256) = (photo.type, photo.byteCount, photo.sha256)
            (receivedAt, modifiedAt) = (photo.receivedAt, photo.modifiedAt)
        }
    }

    /// For so long it is told.
    package static let patience: UInt64 = 86_400_000
    /// Of one device at one door.
    private static let most = 20_000
    /// Devices at doors that are remembered; of those beyond, the one that sent last longest ago is forgotten.
    private static let mostSenders = 512

    private struct Place: Hashable {
        let sender: DoorSender
        let door: DoorID
    }

    private let state = Mutex<[Place: [Sent]]>([:])

    package init() {}

    package func note(_ sent: [Sent], by sender: DoorSender, at door: DoorID, now: UInt64 = Milliseconds.now) {
        let place = Place(sender: sender, door: door)
        state.withLock { state in
            let known = (state[place] ?? []).filter { $0.receivedAt + Self.patience > now }
            state[place] = (known + sent).suffix(Self.most)
            guard state.count > Self.mostSenders else { return }
            let oldest = state.min { ($0.value.last?.receivedAt ?? 0) < ($1.value.last?.receivedAt ?? 0) }
            if let oldest { state[oldest.key] = nil }
        }
    }

    package func sent(by sender: DoorSender, at door: DoorID, now: UInt64 = Milliseconds.now) -> [Sent] {
        state.withLock { $0[Place(sender: sender, door: door)] ?? [] }
            .filter { $0.receivedAt + Self.patience > now }
    }
}
