package import Sealing
package import Store

/// The row that holds a vault together: its counters, its slot sets, and the accumulator over all its other rows.
package struct VaultHead: Equatable, Sendable {
    /// Σ mod 2²⁵⁶ of HMAC(acc key, id ‖ SHA-256(body)) over the vault's rows but the head: a row that was lost,
    /// injected or set back shows at the next opening.
    package var accumulator = SetAccumulator()
    /// Rows 0..<rowCount exist, each once: with a record, a part of one, or empty.
    package var rowCount: UInt64 = 0
    package var nextSerial: UInt64 = 1
    /// Changes so far.
    package var generation: UInt64 = 0
    /// Bytes of this vault's objects on disk.
    package var storedByteCount: UInt64 = 0
    package var createdDay: UInt64
    package var slotSets: [SlotSet]
    /// Where the head under the key before stands, while its rotation is not finished.
    package var formerHead: RowID?
    package var reminder = ReminderRecord()
    /// Of all wrong guesses of this house, those that the vault's owner has been told of.
    package var wrongGuesses: UInt64 = 0
    /// Nil as long as nothing was imported.
    package var lastImport: LastImportRecord?
    /// The day since 1970 on which as many secrets may be made for the vault as ever; 0 for a day long ago.
    package var secretsUsedUntil: UInt64 = 0
    package var unknown: [TaggedFields.Field] = []

    private enum Tag {
        static let accumulator: UInt8 = 1
        static let rowCount: UInt8 = 2
        static let nextSerial: UInt8 = 3
        static let generation: UInt8 = 4
        static let storedByteCount: UInt8 = 5
        static let createdDay: UInt8 = 6
        static let slotSet: UInt8 = 7
        static let formerHead: UInt8 = 8
        static let reminder: UInt8 = 9
        static let wrongGuesses: UInt8 = 10
        static let lastImport: UInt8 = 11
        static let secretsUsedUntil: UInt8 = 12
        static let known: ClosedRange<UInt8> = 1...12
    }

    package init(createdDay: UInt64, slotSets: [SlotSet]) {
        self.createdDay = createdDay
        self.slotSets = slotSets
    }

    package init(_ payload: [UInt8]) throws(VaultError) {
        let fields = try TaggedFields(payload)
        guard let accumulator = fields.value(Tag.accumulator), accumulator.count == 32,
            let rowCount = fields.uint64(Tag.rowCount),
            let nextSerial = fields.uint64(Tag.nextSerial), let generation = fields.uint64(Tag.generation),
            let stored = fields.uint64(Tag.storedByteCount), let createdDay = fields.uint64(Tag.createdDay)
        else { throw .damaged }
        self.accumulator = SetAccumulator(bytes: accumulator)
        self.rowCount = rowCount
        self.nextSerial = nextSerial
        self.generation = generation
        storedByteCount = stored
        self.createdDay = createdDay
        slotSets = try fields.values(Tag.slotSet).map { value throws(VaultError) in try SlotSet(value) }
        formerHead = try fields.value(Tag.formerHead).map { value throws(VaultError) in
            guard let id = RowID(bytes: value) else { throw .damaged }
            return id
        }
        if let value = fields.value(Tag.reminder) { reminder = try ReminderRecord(value) }
        wrongGuesses = fields.uint64(Tag.wrongGuesses) ?? 0
        if let value = fields.value(Tag.lastImport) { lastImport = try LastImportRecord(value) }
        secretsUsedUntil = fields.uint64(Tag.secretsUsedUntil) ?? 0
        unknown = fields.fields.filter { !Tag.known.contains($0.tag) }
    }

    package var encoded: [UInt8] {
        var fields = TaggedFields()
        fields.append(Tag.accumulator, accumulator.bytes)
        fields.append(Tag.rowCount, rowCount)
        fields.append(Tag.nextSerial, nextSerial)
        fields.append(Tag.generation, generation)
        fields.append(Tag.storedByteCount, storedByteCount)
        fields.append(Tag.createdDay, createdDay)
        for set in slotSets { fields.append(Tag.slotSet, set.encoded) }
        if let formerHead { fields.append(Tag.formerHead, formerHead.bytes) }
        if reminder != ReminderRecord() { fields.append(Tag.reminder, reminder.encoded) }
        if wrongGuesses > 0 { fields.append(Tag.wrongGuesses, wrongGuesses) }
        if let lastImport { fields.append(Tag.lastImport, lastImport.encoded) }
        if secretsUsedUntil > 0 { fields.append(Tag.secretsUsedUntil, secretsUsedUntil) }
        fields.fields += unknown
        return fields.encoded
    }
}

/// What an opening found missing. Everything else of the vault is intact and open.
package struct VaultDamage: Equatable, Sendable {
    /// Entries that are gone or fail their verification; their names are gone with them.
    package var missingEntries: Int
    /// Names of photos whose stored bytes are gone.
    package var unreadable: [String]
    /// Some entry was replaced by an older state of itself, or the head was lost.
    package var isSetBack: Bool

    package init(missingEntries: Int = 0, unreadable: [String] = [], isSetBack: Bool = false) {
        self.missingEntries = missingEntries
        self.unreadable = unreadable
        self.isSetBack = isSetBack
    }

    package var isNone: Bool { missingEntries == 0 && unreadable.isEmpty && !isSetBack }
}
