/// What a backup did. Counts only; all of it is about the whole data directory.
package struct BackupReport: Sendable, Equatable {
    /// Objects that belong to the backup.
    package var objectCount = 0
    package var copiedObjectCount = 0
    /// Bytes of objects and unfinished uploads that were copied.
    package var copiedByteCount: UInt64 = 0
    /// Of objects that the data directory has no longer.
    package var removedObjectCount = 0
    /// Objects that the ledger lists, and that neither the data directory nor the backup has whole.
    package var missingObjectCount = 0
    /// Objects that the data directory has lost, and the backup has.
    package var rescuedObjectCount = 0
    /// Objects of the backup that had changed on its disk, and were copied again.
    package var repairedObjectCount = 0
    /// Slots that the data directory's disk cannot read; random ones stand in their place.
    package var unreadableSlotCount = 0
    /// States that are kept, and whose list and ledger cannot be read: no object was removed while there are any.
    package var unreadableStates: [UInt64] = []
    /// The moment that the backup shows by the clock, in seconds since 1970; the state's name may have a later one.
    package var time: UInt64 = 0

    package var isWhole: Bool { missingObjectCount == 0 && rescuedObjectCount == 0 && unreadableSlotCount == 0 }

    package init() {}
}
