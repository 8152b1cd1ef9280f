package import Records
import Store

/// What the library of an open vault knows of a photo: enough to list it and to find its row.
///
/// A reference: an opening hands on a hundred thousand of them several times, and copying a record costs a dozen counts.
package final class LibraryEntry: Sendable {
    /// The number of the photo's first row.
    let rowNumber: UInt64
    package let record: PhotoRecord
    /// Whether a list may show something else by it.
    let isNews: Bool

    init(rowNumber: UInt64, record: PhotoRecord, isNews: Bool = true) {
        self.rowNumber = rowNumber
        self.record = record
        self.isNews = isNews
    }
}

/// A batch and where it stands.
package struct BatchEntry: Equatable, Sendable {
    package var rowNumber: UInt64
    package var record: BatchRecord
}

/// An album and where it stands.
package struct AlbumEntry: Equatable, Sendable {
    package var rowNumber: UInt64
    package var record: AlbumRecord
    /// It was removed before, and there are photos that name it already.
    var isBack = false
}

/// A door and where it stands.
package struct DoorEntry: Equatable, Sendable {
    package var rowNumber: UInt64
    package var record: DoorRecord
}

package enum LibraryChange: Sendable {
    case put(LibraryEntry)
    case remove(serial: UInt64)
    /// The photo is gone, and an older one has the same content.
    case replace(serial: UInt64, by: UInt64)
    case putBatch(BatchEntry)
    case removeBatch(BatchID)
    case putAlbum(AlbumEntry)
    case removeAlbum(row: UInt64)

    /// The photo's; nil for one of a batch or an album.
    var serial: UInt64? {
        switch self {
        case .put(let entry): entry.record.serial
        case .remove(let serial), .replace(let serial, _): serial
        case .putBatch, .removeBatch, .putAlbum, .removeAlbum: nil
        }
    }

    /// Whether what is listed is another afterwards.
    var isListed: Bool {
        switch self {
        case .put(let entry): entry.isNews
        case .remove, .replace, .putAlbum, .removeAlbum: true
        case .putBatch, .removeBatch: false
        }
    }
}
