import Store

/// What the library of an open vault knows of a photo: enough to list it and to find its row.
struct LibraryEntry: Equatable, Sendable {
    /// Of the photo's first row.
    var rowNumber: UInt64
    var record: PhotoRecord
}

/// A batch and where it stands.
struct BatchEntry: Equatable, Sendable {
    var rowNumber: UInt64
    var record: BatchRecord
}

enum LibraryChange: Sendable {
    case put(LibraryEntry)
    case remove(serial: UInt64)
    /// The photo is gone, and an older one has the same content.
    case replace(serial: UInt64, by: UInt64)
    case putBatch(BatchEntry)
    case removeBatch(BatchID)
}
