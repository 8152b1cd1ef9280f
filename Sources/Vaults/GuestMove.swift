import Records
import Sealing
import Store
import Vault

/// The rows of a guest who moves, inside one transaction: they are sealed anew as the vault's, and objects stay as they
/// are. What follows beside the rows, `OwnershipTransfer` carries over.
struct GuestMove {
    struct Outcome: Sendable {
        var migration = Migration()
        /// Serials in the vault, by those that the guest had.
        var serials: [UInt64: UInt64] = [:]
        /// Names of what moved though its bytes are gone or fail their verification.
        var unreadable: [String] = []
        /// Serials in the vault of what moved though its object is gone.
        var lostSerials: [UInt64] = []
        /// Unfinished uploads with which nobody goes on went with the space.
        var dropsUploads = false
    }

    /// How what came through a door differs from what a guest brings along.
    struct Giving: Sendable {
        let door: DoorName
        let doorName: String
        let giver: String?
        /// The device of a program that sent with the code alone.
        let sender: DoorSender?
        /// It is shown nowhere until the owner has looked.
        let waits: Bool

        var given: Given {
            Given(door: door, doorName: doorName, giver: giver, sender: sender, isWaiting: waits)
        }
    }

    private(set) var guest: VaultChange
    private let giving: Giving?
    private(set) var vault: VaultChange
    private let today: UInt32
    private(set) var outcome = Outcome()
    private let lostSerials: Set<UInt64>
    /// Serials, in the vault, of what was read back and is not in its library yet, by digest: it has moved, or came with
    /// an earlier change of the same transaction.
    private var verified: [[UInt8]: UInt64] = [:]
    /// Objects that have moved, or are doomed.
    private var settled: Set<ObjectID> = []

    init(of guest: VaultChange, into vault: VaultChange, through giving: Giving? = nil, today: UInt32) {
        self.guest = guest
        self.giving = giving
        outcome.dropsUploads = giving != nil
        self.vault = vault
        self.today = today
        lostSerials = Set(guest.vault.lostSerials)
        outcome.migration.lost = guest.vault.damage?.missingEntries ?? 0
        for case .put(let entry) in vault.draft.libraryChanges {
            let record = vault.vault.library.asFound(entry).record
            if record.isReadBack, let sha256 = record.sha256 { verified[sha256] = record.serial }
        }
    }

    /// - Throws: `vaultFull`; nothing of it counts then.
    mutating func run() throws {
        // Before the photos that name them. Those of a giver mean nothing to the owner.
        for batch in try guest.batches() where giving == nil && batch.record.expiresDay >= today {
            try vault.add(batch.record)
        }
        let photos = try guest.photos()
        for photo in photos where photo.deletedAt == nil { try move(photo) }
        // After them: what was deleted and is there as well is kept once.
        for photo in photos where photo.deletedAt != nil { try move(photo) }
        try moveUnknown()
        try vault.requireRoom(for: guest.vault.uploads.storedByteCount)
        for upload in guest.vault.uploads.all {
            // Nobody goes on with what a giver has begun.
            if giving == nil || upload.record.isComplete { try move(upload) } else { try drop(upload) }
        }
        try noteNews()
        try removeGuest()
    }

    /// Photos alone that came no later than then; the space goes on, with what is still on its way to it.
    /// - Throws: `vaultFull`; nothing of it counts then.
    mutating func runSettled(until moment: UInt64) throws {
        outcome.dropsUploads = false
        for photo in try guest.photos() where photo.deletedAt == nil && photo.receivedAt <= moment {
            // What is damaged is told once the space goes.
            guard try move(photo) else { continue }
            try guest.release(at: photo.rowNumber)
        }
        try vault.requireRoom(for: 0)
        try noteNews()
    }

    private mutating func noteNews() throws {
        guard let giving, outcome.migration.moved > 0 else { return }
        let count = outcome.migration.moved
        try vault.updateDoor(giving.door) { $0.noteNews(count: count, giver: giving.giver) }
    }

    // MARK: Photos

    /// - Returns: false for one that cannot be read any more.
    @discardableResult
    private mutating func move(_ photo: LibraryPhoto) throws -> Bool {
        guard let (content, fileKey) = try content(of: photo) else {
            outcome.migration.lost += 1
            return false
        }
        var record = content
        // A guest's serial means nothing here.
        record.serial = 0
        settled.insert(record.object)
        let isDeleted = record.deletedAt != nil
        if giving != nil {
            // Taken back; the power went before it was gone.
            guard !isDeleted else {
                try drop(record.object, fileKey)
                return true
            }
            (record.origins, record.memberships) = ([], [])
        }
        if let kept = try present(record) {
            try drop(record.object, fileKey)
            if let giving, !giving.waits, !record.isHeld {
                record.keeping.albums = [try vault.albumToJoin(giving.doorName)]
            }
            try vault.takeOver(from: record, at: kept.rowNumber, today: today)
            if !isDeleted { outcome.migration.duplicates += 1 }
            if let giving { try vault.noteGivenAgain(giving.given, record.byteCount, as: kept) }
            outcome.serials[photo.serial] = kept.serial
            return true
        }
        try note(giving, in: &record)
        let isLost = lostSerials.contains(photo.serial)
        if isLost || photo.damagedAt != nil {
            // Or the same content, when it comes again, would be thrown away for this one.
            record.damagedAt = record.damagedAt ?? photo.damagedAt ?? Milliseconds.now
            record.verifiedAt = nil
        }
        let moved = try vault.add(record, fileKey: fileKey, part: record.object)
        outcome.serials[photo.serial] = moved.serial
        note(moved, isLost: isLost)
        // It lies in "Recently deleted" as before: nobody is told that it has come, and nothing is its duplicate.
        guard !isDeleted, !record.isHeld else { return true }
        outcome.migration.moved += 1
        if record.sha256 == nil { outcome.migration.pending += 1 }
        if let sha256 = record.sha256, record.isReadBack { verified[sha256] = moved.serial }
        return true
    }

    private mutating func note(_ giving: Giving?, in record: inout PhotoRecord) throws {
        guard let giving else { return }
        record.given = giving.given
        // What waits joins it once the owner has looked.
        if !giving.waits, !record.isHeld { record.keeping.albums = [try vault.albumToJoin(giving.doorName)] }
    }

    /// Nil when its row has been damaged since the space was opened, and the key of the object with it.
    private func content(of photo: LibraryPhoto) throws -> (record: PhotoRecord, fileKey: SharedSecret)? {
        do {
            let chain = try guest.chain(from: photo.rowNumber)
            return (try PhotoRecord.decode(chain.flatMap(\.piece.payload)), try guest.vault.fileKey(of: chain))
        } catch VaultError.damaged {
            return nil
        }
    }

    /// Names damage that moves along. What the vault had besides, and dropped here, is whole there.
    private mutating func note(_ moved: PhotoRecord, isLost: Bool) {
        guard moved.damagedAt != nil else { return }
        outcome.migration.lost += 1
        outcome.unreadable.append(moved.name)
        if isLost { outcome.lostSerials.append(moved.serial) }
    }

    private func drop(_ object: ObjectID, _ fileKey: SharedSecret) throws {
        try vault.transaction.doomObject(object)
        try vault.transaction.doomPreviews(OpenVault.previewIDs(fileKey))
    }

    /// The photo of the same content that the vault has read back, or that has just moved and was.
    private func present(_ record: PhotoRecord) throws -> LibraryPhoto? {
        guard let sha256 = record.sha256 else { return nil }
        // Not by way of the draft: that would look at everything that has moved, for every photo.
        let known = try vault.vault.library.verified(
            byteCount: record.byteCount, firstPart: record.firstPart, sha256: sha256)
        return try vault.duplicate(of: record, among: known + [verified[sha256]].compactMap { $0 })
    }

    /// Records of kinds that only a later version knows: they are the vault's from now on, as they are.
    private mutating func moveUnknown() throws {
        for number in 0..<guest.draft.head.rowCount {
            let id = try guest.vault.rowID(.item(number))
            guard let body = try guest.transaction.row(id, in: guest.vault.home),
                let piece = try guest.vault.openIfSound(body, id: id), !piece.kind.isKnown
            else { continue }
            // It may go on in any other row, by its number: it stays with all of the space, for that version.
            guard piece.kind != .later else { throw VaultError.readOnly }
            do {
                let payload = try guest.chain(from: number).flatMap(\.piece.payload)
                try vault.addUnknown(piece.kind, payload: payload)
            } catch VaultError.damaged {
                outcome.migration.lost += 1
            }
        }
    }

    // MARK: Unfinished uploads

    /// Its id stays, so whoever sends it goes on. What memory says of it may be older than the row.
    private func move(_ upload: UnfinishedUpload) throws {
        let (id, transaction) = (upload.rowID, vault.transaction)
        guard let row = try transaction.upload(id) else { return }
        // A damaged one is of use to nobody, and goes on its day.
        guard let (record, fileKey) = try content(of: row.body, id) else { return }
        var moved = record
        if let giving {
            moved.given = giving.given
            moved.album = giving.waits ? nil : giving.doorName
            moved.batch = nil
        }
        let body = try vault.vault.sealUpload(moved, fileKey: fileKey, id: id)
        try guest.vault.noteUpload(nil, at: id, until: nil, transaction)
        try transaction.putUpload(id, body: body, part: row.part, expiresDay: row.expiresDay)
    }

    private func drop(_ upload: UnfinishedUpload) throws {
        try guest.vault.noteUpload(nil, at: upload.rowID, until: nil, vault.transaction)
        try vault.transaction.doomUpload(upload.rowID)
    }

    private func content(of body: [UInt8], _ id: RowID) throws -> (UploadRecord, SharedSecret)? {
        do {
            return try translated { try body.withUnsafeBytes { try guest.vault.openUpload($0, id: id) } }
        } catch .damaged {
            return nil
        }
    }

    // MARK: The guest

    private func removeGuest() throws {
        let (space, transaction) = (guest.vault, guest.transaction)
        for number in 0..<guest.draft.head.rowCount {
            let id = try space.rowID(.item(number))
            try putAsideObject(of: id)
            try transaction.deleteRow(id, in: space.home)
        }
        try transaction.deleteRow(try space.rowID(.head), in: space.home)
        for session in guest.draft.keptSessions { try transaction.deleteSession(session.id) }
        if let id = space.space { try transaction.deleteArrival(id) }
    }
}

extension GuestMove {
    /// Of a photo whose row is damaged: with it went the key of the object, which nobody can open any more. The next
    /// start finds a file that nothing lists, and keeps it for 30 days in quarantine, for a row may yet be put back.
    private func putAsideObject(of row: RowID) throws {
        guard let object = try guest.transaction.guestObject(of: row), !settled.contains(object) else { return }
        try guest.transaction.forgetObject(object)
    }
}

/// What became of a guest's photos when they moved into a vault.
package struct Migration: Equatable, Sendable {
    /// Photos that the vault has now and did not have before.
    package var moved = 0
    /// Photos whose content was there before.
    package var duplicates = 0
    /// Of those that moved: not read back yet, so that nobody knows whether their content was there before.
    package var pending = 0
    /// What the guest had lost to a damaged disk before.
    package var lost = 0

    package init(moved: Int = 0, duplicates: Int = 0, pending: Int = 0, lost: Int = 0) {
        self.moved = moved
        self.duplicates = duplicates
        self.pending = pending
        self.lost = lost
    }
}
