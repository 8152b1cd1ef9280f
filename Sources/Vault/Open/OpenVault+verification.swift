import Content
import Records
import Store

extension OpenVault {
    /// - Returns: false when the photo is gone.
    /// - Throws: `damaged` when its content is not what came.
    func noteVerified(_ photo: LibraryPhoto, _ digests: ContentDigests) async throws -> Bool {
        let today = store.today
        let outcome = try await change { try $0.noteVerified(photo, digests, today: today) }
        if outcome == .duplicatesRemoved { await reap() }
        if photo.damagedAt != nil { forgetDamage(of: photo.name) }
        return outcome != .gone
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
    enum VerificationOutcome: Equatable {
        case gone
        case noted
        case duplicatesRemoved
    }

    /// What was read is kept with the photo. Of several photos with the same content, read back from disk and not
    /// deleted, the oldest stays.
    fileprivate mutating func noteVerified(
        _ photo: LibraryPhoto, _ digests: ContentDigests, today: UInt32
    ) throws -> VerificationOutcome {
        guard let present = try current(photo.serial, in: vault.library), present.object == photo.object else {
            return .gone
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
        return try settleDuplicates(of: present, digests.sha256, today) ? .duplicatesRemoved : .noted
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
        for duplicate in same.dropFirst() {
            let record = try record(at: duplicate.rowNumber)
            // Taking over may have moved other rows; the first row of each photo stays where it is.
            try remove(at: duplicate.rowNumber, inFavourOf: same[0].serial)
            try takeOver(from: record, at: same[0].rowNumber, today: today)
            try moveCovers(from: duplicate.serial, to: same[0].serial)
            if let again = record.given { try noteGivenAgain(again, record.byteCount, as: same[0]) }
        }
        return true
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
