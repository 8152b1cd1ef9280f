import Content
import Records
import Store

extension OpenVault {
    /// - Returns: false when the photo is gone.
    /// - Throws: `damaged` when its content is not what came.
    func noteVerified(_ photo: LibraryPhoto, _ digests: ContentDigests) async throws -> Bool {
        let today = store.today
        let outcome = try await change { try $0.noteVerified(photo, digests, today: today) }
        if outcome.hasRemoved { await reap() }
        if photo.damagedAt != nil { forgetDamage(of: photo.name) }
        for name in outcome.mended { forgetDamage(of: name) }
        if !outcome.mended.isEmpty { pictures.wake() }
        return !outcome.isGone
    }

    /// Named from now on, until it verifies or is deleted.
    package func noteDamaged(_ photo: LibraryPhoto) async throws {
        let isNews = try await change { change in
            guard let present = try change.current(photo.serial, in: change.vault.library),
                present.object == photo.object, present.damagedAt == nil
            else { return false }
            do {
                try change.update(at: present.rowNumber) { record in
                    record.damagedAt = Milliseconds.now
                    record.verifiedAt = nil
                }
            } catch VaultError.damaged {
                // It is the row that is damaged, and cannot say so.
                _ = try change.vault.library.lose(present.serial)
            }
            return true
        }
        if isNews { addDamage(of: [photo.name]) }
    }
}

extension VaultChange {
    struct VerificationOutcome: Sendable {
        /// There is no such photo any more.
        var isGone = false
        /// Whether objects are doomed that nobody needs any more.
        var hasRemoved = false
        /// Names of photos that were damaged, and are whole by what came anew.
        var mended: [String] = []
    }

    /// What was read is kept with the photo. Of several photos with the same content, read back from disk and not
    /// deleted, the oldest stays.
    fileprivate mutating func noteVerified(
        _ photo: LibraryPhoto, _ digests: ContentDigests, today: UInt32
    ) throws -> VerificationOutcome {
        guard let present = try current(photo.serial, in: vault.library), present.object == photo.object else {
            return VerificationOutcome(isGone: true)
        }
        if let known = present.sha256, known != digests.sha256 { throw VaultError.damaged }
        vault.library.unmarkLost(present.serial)
        // The file may have come back to a ledger that did not list it.
        try transaction.addObject(present.object)
        try update(at: present.rowNumber) { record in
            record.sha256 = digests.sha256
            record.treeDigest = digests.tree
            record.endsDigest = digests.ends
            record.verifiedAt = Milliseconds.now
            record.damagedAt = nil
            record.origins.removeAll { $0.expiresDay < today }
        }
        let mended = try mendDamaged(by: present, digests, today)
        let whole = mended.first ?? present
        let hasRemoved = try settleDuplicates(of: whole, digests.sha256, today)
        return VerificationOutcome(
            hasRemoved: hasRemoved || !mended.isEmpty, mended: mended.map(\.name))
    }

    /// What came anew takes the place of what is damaged: the oldest damaged photo with this content gets the object that
    /// was read back, and keeps its place, its albums and what people did with it.
    /// - Parameter photo: read back and not deleted after this change; its rows hold nothing where another one was mended.
    /// - Returns: the photos that were damaged, of which the first has the object now; none where there was no such one.
    private mutating func mendDamaged(
        by photo: LibraryPhoto, _ digests: ContentDigests, _ today: UInt32
    ) throws -> [LibraryPhoto] {
        guard !vault.isGuest, photo.byteCount > 0, photo.deletedAt == nil else { return [] }
        let serials = try vault.library.damaged(
            byteCount: photo.byteCount, firstPart: photo.firstPart, sha256: digests.sha256)
        let damaged = try serials.compactMap { try current($0, in: vault.library) }.filter {
            try $0.serial != photo.serial && $0.damagedAt != nil && $0.deletedAt == nil && $0.mayBeOne(with: photo)
                && isReadable($0)
        }
        guard let first = damaged.first else { return [] }
        let chain = try chain(from: photo.rowNumber)
        let (record, fileKey) = (try PhotoRecord.decode(chain.flatMap(\.piece.payload)), try vault.fileKey(of: chain))
        try release(at: photo.rowNumber, inFavourOf: first.serial)
        vault.library.unmarkLost(first.serial)
        try replaceObject(at: first, by: record.object, record.runs, fileKey: fileKey)
        try update(at: first.rowNumber) { mended in
            (mended.treeDigest, mended.endsDigest) = (record.treeDigest, record.endsDigest)
            (mended.verifiedAt, mended.damagedAt) = (record.verifiedAt, nil)
        }
        try takeOver(from: record, at: first.rowNumber, today: today)
        try moveCovers(from: photo.serial, to: first.serial)
        if let again = record.given { try noteGivenAgain(again, record.byteCount, as: first) }
        for other in damaged.dropFirst() { try remove(other, inFavourOf: first, today) }
        return damaged
    }

    /// Its row can be read, and changed.
    private func isReadable(_ photo: LibraryPhoto) throws -> Bool {
        do {
            return try record(at: photo.rowNumber).serial == photo.serial
        } catch VaultError.damaged {
            return false
        }
    }

    /// Keeps the oldest of the photos with this content.
    /// - Parameter photo: read back and not deleted after this change.
    mutating func settleDuplicates(of photo: LibraryPhoto, _ sha256: [UInt8], _ today: UInt32) throws -> Bool {
        guard !vault.isGuest, photo.byteCount > 0, photo.deletedAt == nil else { return false }
        let serials = try verified(byteCount: photo.byteCount, firstPart: photo.firstPart, sha256: sha256)
        var same = try serials.compactMap { try current($0, in: vault.library) }
            .filter { try $0.serial != photo.serial && $0.mayBeOne(with: photo) && mayStand($0) }
        guard !same.isEmpty else { return false }
        same.append(photo)
        same.sort { $0.serial < $1.serial }
        for duplicate in same.dropFirst() { try remove(duplicate, inFavourOf: same[0], today) }
        return true
    }

    /// Taking over may have moved other rows; the first row of each photo stays where it is.
    private mutating func remove(_ duplicate: LibraryPhoto, inFavourOf kept: LibraryPhoto, _ today: UInt32) throws {
        let record = try record(at: duplicate.rowNumber)
        try remove(at: duplicate.rowNumber, inFavourOf: kept.serial)
        try takeOver(from: record, at: kept.rowNumber, today: today)
        try moveCovers(from: duplicate.serial, to: kept.serial)
        if let again = record.given { try noteGivenAgain(again, record.byteCount, as: kept) }
    }

    /// Photos of that content which were read back, those of changes before this one in the same transaction too.
    package func verified(byteCount: UInt64, firstPart: Int64?, sha256: [UInt8]) throws -> [UInt64] {
        let known = try vault.library.verified(byteCount: byteCount, firstPart: firstPart, sha256: sha256)
        return draft.libraryChanges.reduce(into: known) { serials, change in
            guard case .put(let entry) = change, entry.record.sha256 == sha256, entry.record.byteCount == byteCount,
                vault.library.asFound(entry).record.isReadBack, !serials.contains(entry.record.serial)
            else { return }
            serials.append(entry.record.serial)
        }
    }

    /// Whether the same content may be thrown away for this photo: it was read back, and its row and its file are there
    /// still. One that is gone counts as damaged from now on; bytes that went bad since are found by whoever reads them.
    func mayStand(_ photo: LibraryPhoto) throws -> Bool {
        guard photo.deletedAt == nil, photo.verifiedAt != nil, photo.damagedAt == nil else { return false }
        guard let hasFile = try hasFile(photo) else { return false }
        if !hasFile, try vault.library.lose(photo.serial) { vault.addDamage(of: [photo.name]) }
        return hasFile
    }

    /// Whether its row can be read and its file is there, with its size; nil when the disk cannot tell.
    func hasFile(_ photo: LibraryPhoto) throws -> Bool? {
        do {
            let record = try record(at: photo.rowNumber)
            guard record.serial == photo.serial else { return false }
            return try vault.store.objects.byteCount(of: record.object) == record.storedByteCount
        } catch VaultError.damaged {
            return false
        } catch let error as StoreError where error.isOfDisk {
            return nil
        }
    }

    /// Whether its file is there, or was put back from quarantine; what the disk cannot tell counts as there. The ledger
    /// lists it then.
    package func isFound(_ photo: LibraryPhoto) throws -> Bool {
        guard try hasFile(photo) ?? true || isPutBack(photo) else { return false }
        try transaction.addObject(photo.object)
        return true
    }

    private func isPutBack(_ photo: LibraryPhoto) throws -> Bool {
        do {
            return try vault.store.objects.restoreFromQuarantine(photo.object) && hasFile(photo) ?? true
        } catch let error as StoreError where error.isOfDisk {
            return true
        }
    }

    private func record(at number: UInt64) throws -> PhotoRecord {
        try PhotoRecord.decode(try chain(from: number).flatMap(\.piece.payload))
    }
}
