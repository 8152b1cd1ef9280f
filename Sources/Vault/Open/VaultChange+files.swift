import Records

extension VaultChange {
    /// Calls a photo something else; when it was taken may follow from that.
    /// - Throws: `noSuchPhoto`.
    package mutating func rename(_ serial: UInt64, to name: String) throws {
        try changeFile(serial) { $0.name = name }
    }

    /// What its sender says of when the file was changed last; when it was taken may follow from that.
    /// - Parameter time: milliseconds since 1970.
    /// - Throws: `noSuchPhoto`.
    package mutating func setFileTime(_ serial: UInt64, to time: UInt64) throws {
        try changeFile(serial) { $0.modifiedAt = time }
    }

    /// A file whose content is another one now. The former photo lies in "Recently deleted"; what people did with it goes on
    /// with the new one, whose own caption stays. Nothing happens where one of them is gone by then.
    /// - Parameter moment: milliseconds since 1970.
    package mutating func replace(_ former: UInt64, with serial: UInt64, deletedAt moment: UInt64) throws {
        guard let old = try currentOrKept(former), let new = try currentOrKept(serial), old.serial != new.serial,
            old.deletedAt == nil, new.deletedAt == nil
        else { return }
        var before: PhotoRecord?
        try update(at: old.rowNumber) { record in
            before = record
            record.deletedAt = moment
            record.keeping.isReplaced = true
        }
        guard let before else { return }
        try update(at: new.rowNumber) { record in
            let own = record.keeping
            record.keeping = own.joined(by: before.keeping)
            record.keeping.caption = own.caption ?? before.keeping.caption
            // Other pixels may stand upright already, and have been cut.
            record.keeping.rotation = own.rotation
            record.keeping.edit = own.edit
            record.told = record.told ?? before.told
        }
        try moveCovers(from: old.serial, to: new.serial)
    }

    private mutating func changeFile(_ serial: UInt64, _ change: (inout PhotoRecord) -> Void) throws {
        let library = vault.library
        guard let photo = try current(serial, in: library), photo.deletedAt == nil else {
            throw VaultError.noSuchPhoto
        }
        try update(at: photo.rowNumber) { record in
            change(&record)
            let facts = record.facts.map(FactsCoding.decode)
            try Self.note(facts, in: &record, library, now: Self.latestTime(receivedAt: record.receivedAt))
        }
    }
}
