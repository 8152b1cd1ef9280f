package import Content
package import Media
package import Records
package import Sealing
package import Store
import Synchronization

/// Content that is whole and on disk, or about to be there, on its way into the vault's rows.
package struct Arrival: Sendable {
    /// Its serial and object are filled in by the commit.
    package var record: PhotoRecord
    package var fileKey: SharedSecret
    /// What the content says about itself; nil where nobody could read it yet.
    package var facts: MediaFacts?
    /// The object, where it has a name already.
    package var part: ObjectID?
    /// The row of the unfinished upload that ends with this.
    package var uploadRow: RowID?
    /// Whether it came in one piece: what others have taken meanwhile counts.
    package var needsRoom = false
    /// The name of the album that it is to join, which is made where there is none.
    package var album: String?
    /// Today, in days since 1970.
    package var today: UInt32

    package init(
        record: PhotoRecord, fileKey: SharedSecret, facts: MediaFacts? = nil, part: ObjectID? = nil,
        uploadRow: RowID? = nil, needsRoom: Bool = false, today: UInt32
    ) {
        self.record = record
        self.fileKey = fileKey
        self.facts = facts
        self.part = part
        self.uploadRow = uploadRow
        self.needsRoom = needsRoom
        self.today = today
    }

    package struct Outcome: Sendable {
        /// Whose photo it is: what was meant for a guest may have come into a vault.
        package var vaultUID: [UInt8]
        package var photo: LibraryPhoto
        /// The content was there; its new object is doomed.
        package var isDuplicate: Bool
    }
}

extension VaultChange {
    /// Makes a photo of it, or, if a verified photo has the same content, notes there that it came again.
    package mutating func take(_ arrival: Arrival) throws -> Arrival.Outcome {
        if let row = arrival.uploadRow {
            // The sweep may have been faster.
            guard try transaction.containsUpload(row) else { throw VaultError.uploadGone }
            try vault.noteUpload(nil, at: row, until: nil, transaction)
            try transaction.deleteUpload(row)
        }
        if let photo = try duplicate(of: arrival.record) {
            if let object = object ?? arrival.part { try transaction.doomObject(object) }
            try note(arrival, at: photo)
            return try outcome(photo.serial, isDuplicate: true)
        }
        try requireRoom(for: arrival)
        var noted = arrival.record
        if let album = arrival.album, !noted.isHeld { noted.keeping.albums = [try albumToJoin(album)] }
        if let facts = arrival.facts { try Self.note(facts, in: &noted, vault.library) }
        let record = try add(noted, fileKey: arrival.fileKey, part: arrival.part)
        try tellZone(of: record)
        try tellSeries(of: record)
        return try outcome(record.serial, isDuplicate: false)
    }

    private func outcome(_ serial: UInt64, isDuplicate: Bool) throws -> Arrival.Outcome {
        guard let photo = try current(serial, in: vault.library) else {
            throw VaultError.internalFailure("a photo that was just added")
        }
        return Arrival.Outcome(vaultUID: vault.uid, photo: photo, isDuplicate: isDuplicate)
    }

    /// The oldest verified photo with the same content that is not deleted. A file without content is only a name, and
    /// none is the duplicate of another.
    package func duplicate(of record: PhotoRecord) throws -> LibraryPhoto? {
        // A sidecar of this content may be that of another photo.
        guard let sha256 = record.sha256, !record.isHeld else { return nil }
        return try duplicate(
            of: record,
            among: try verified(byteCount: record.byteCount, firstPart: record.firstPart, sha256: sha256))
    }

    /// The first of them that still is one.
    package func duplicate(of record: PhotoRecord, among serials: [UInt64]) throws -> LibraryPhoto? {
        // A guest sees what was added, all of it, and learns nothing of what the disk holds.
        guard !vault.isGuest, record.byteCount > 0 else { return nil }
        for serial in serials where serial != record.serial {
            guard let photo = try current(serial, in: vault.library) else { continue }
            if photo.mayBeOne(with: record), try mayStand(photo) { return photo }
        }
        return nil
    }

    private mutating func note(_ arrival: Arrival, at photo: LibraryPhoto) throws {
        let record = arrival.record
        if !record.origins.isEmpty || !record.memberships.isEmpty || !record.folders.isEmpty {
            try takeOver(from: record, at: photo.rowNumber, today: arrival.today)
        }
        // Whoever sends it once more gets it saved, not refused for ever: past the most albums there is only no room.
        if let album = arrival.album, hasRoomForAnother(photo.keeping.albums) {
            _ = try join([photo.serial], to: albumToJoin(album))
        }
    }

    /// Uploads and batches of a duplicate go on with the photo that was there, and what people did with it; batches and
    /// uploads that are over are forgotten.
    package mutating func takeOver(from duplicate: PhotoRecord, at number: UInt64, today: UInt32) throws {
        let (library, changes) = (vault.library, draft.libraryChanges)
        try update(at: number) { record in
            record.joinKeeping(of: duplicate)
            record.origins = record.origins.joined(by: duplicate.origins, today: today)
            let memberships = record.memberships + duplicate.memberships.map { $0.ofDuplicate(duplicate, of: record) }
            record.memberships = try memberships.filter { try library.hasBatch($0.batch, after: changes, today: today) }
                .suffix(BatchMembership.mostPerPhoto)
        }
    }

    /// Only here is it known what the uploads beside this one have taken.
    private func requireRoom(for arrival: Arrival) throws {
        guard arrival.needsRoom else { return }
        try requireRoom(for: arrival.record.storedByteCount)
    }

    /// - Throws: `vaultFull`, `guestFull`.
    package func requireRoom(for byteCount: UInt64) throws {
        let limit = try vault.engine.byteLimit(of: vault)
        let (total, overflow) = vault.byteCount(of: draft.head).addingReportingOverflow(byteCount)
        let unfinished = vault.uploads.storedByteCount
        guard !overflow, unfinished <= limit, total <= limit - unfinished else { throw vault.fullError }
    }
}

extension [PhotoOrigin] {
    /// Uploads of a photo that are remembered at most, the last ones: its record has to stay readable, however often
    /// somebody sends it.
    private static let limit = 64

    fileprivate func joined(by others: [PhotoOrigin], today: UInt32) -> [PhotoOrigin] {
        let duplicates = others.map { origin in
            var origin = origin
            origin.isDuplicate = true
            return origin
        }
        return (self + duplicates).filter { $0.expiresDay >= today }.suffix(Self.limit)
    }
}

/// Photos in one piece that are on their way into one space. They stand in none of its rows, and without being counted
/// any number of requests could fill the disk at once.
final class ArrivingRoom: Sendable {
    private struct Arriving {
        let reservation: SpaceReservation
        /// Of the finished object, where the client has said it.
        let announced: UInt64
    }

    private let arriving = Mutex<[ObjectIdentifier: Arriving]>([:])

    /// Bytes of disk for which room is kept.
    var byteCount: UInt64 { sum { $0.reservation.byteCount } }
    /// What it will be when all that run come to their end.
    var expectedByteCount: UInt64 { sum { max($0.announced, $0.reservation.byteCount) } }

    /// Those of which something has come.
    var underWay: UnderWay {
        arriving.withLock { $0.values.map { UnderWay(content: $0.reservation.contentByteCount) }.reduce(UnderWay(), +) }
    }

    fileprivate func add(_ reservation: SpaceReservation, announced: UInt64) {
        arriving.withLock {
            $0[ObjectIdentifier(reservation)] = Arriving(reservation: reservation, announced: announced)
        }
    }

    fileprivate func remove(_ reservation: SpaceReservation) {
        // Handed out, because its last reference must not go inside the lock.
        _ = arriving.withLock { $0.removeValue(forKey: ObjectIdentifier(reservation)) }
    }

    private func sum(_ byteCount: (Arriving) -> UInt64) -> UInt64 {
        arriving.withLock { $0.values.map(byteCount).reduce(0, clampedSum) }
    }
}

/// The room of one of them.
package final class RoomClaim: Sendable {
    package let reservation: SpaceReservation
    private let announced: UInt64
    // Not the space itself: a request that has fallen silent would keep its keys in memory.
    private let place: Mutex<ArrivingRoom>

    /// - Parameter announced: bytes of the content, if the client has said it.
    package init(_ reservation: SpaceReservation, in space: OpenVault, announced: UInt64?) {
        self.reservation = reservation
        self.announced = announced.map(ObjectSize.ofOneRun) ?? 0
        place = Mutex(space.arriving)
        space.arriving.add(reservation, announced: self.announced)
    }

    deinit { release() }

    /// What was begun for a guest may have come into a vault.
    package func follow(to space: OpenVault) {
        let former = place.withLock { place in
            defer { place = space.arriving }
            return place === space.arriving ? nil : place
        }
        guard let former else { return }
        former.remove(reservation)
        space.arriving.add(reservation, announced: announced)
    }

    /// It has come, or it does not come.
    package func release() {
        place.withLock { $0 }.remove(reservation)
        reservation.uncover(to: 0)
    }
}
