import Bytes
import FoundationEssentials
import Media
package import Records
import Releases
import Search
import Vaults

/// How a part of a query was read.
struct UnderstoodPayload: Encodable {
    /// `word`, `date`, `type`, `album`, `camera`, `place`, `size`, `length`.
    let kind: String
    /// As it was typed: whoever takes the part away asks without it.
    let text: String
    /// Of a `type` which; of an `album` or a `place` its id; of a `date` without a year what it is.
    let value: String?
    /// Of a `date`: the first moment, by a clock on the wall, and the first one behind it. Absent where it has none.
    let start: String?
    let end: String?
    /// Of a `size` in bytes, of a `length` in seconds; both count themselves.
    let min: Double?
    let max: Double?

    init(_ understood: UnderstoodPart) {
        let part = understood.part
        text = part.text
        var (value, days): (String?, Range<Int>?) = (nil, nil)
        var bounds: (min: Double?, max: Double?) = (nil, nil)
        switch part.meaning {
        case .word: kind = "word"
        case .date(let date): (kind, value, days) = ("date", date.name, date.span)
        case .trait(let trait): (kind, value) = ("type", trait.rawValue)
        case .size(let size):
            (kind, bounds) = ("size", (size.least.map { Double($0) }, size.most.map { Double($0) }))
        case .length(let length):
            (kind, bounds) = ("length", (length.least.map { Double($0) / 1000 }, length.most.map { Double($0) / 1000 }))
        case .album: (kind, value) = ("album", understood.album?.id.text)
        case .camera: kind = "camera"
        case .place: (kind, value) = ("place", understood.place)
        }
        self.value = value
        start = days.flatMap { $0.lowerBound == Int.min ? nil : Self.text($0.lowerBound) }
        end = days.flatMap { $0.upperBound == Int.max ? nil : Self.text($0.upperBound) }
        (min, max) = bounds
    }

    private static func text(_ day: Int) -> String {
        String(UTCTime(Date(timeIntervalSince1970: Double(day) * 86_400)).rfc3339.dropLast())
    }
}

/// Photos that look like one, the nearest first.
struct SimilarPayload: Encodable {
    let photos: [PhotoPayload]
}

/// Photos of which there is more than one, and photos of one moment.
struct DuplicatesPayload: Encodable {
    /// Photos that are one picture or taken one after the other, the best first.
    struct Group: Encodable {
        let photos: [PhotoPayload]
        /// Ids of those that were compared, and are no more than copies of the first.
        let copies: [String]

        init(_ group: AlikePage.Group, from allowance: Allowance) throws {
            photos = try group.photos.rows(from: allowance) { PhotoPayload($0) }
            copies = group.copies
        }
    }

    let groups: [Group]
    let bursts: [Group]
    /// Null on the last page.
    let cursor: MonthPayload.Cursor
    /// Photos that nobody has looked into yet, and those that are compared.
    let unseen: Int
    /// Photos of this page that may be copies, and are compared now.
    let comparing: Int

    init(_ page: AlikePage, from allowance: Allowance) throws {
        groups = try page.groups.map { try Group($0, from: allowance) }
        bursts = try page.bursts.map { try Group($0, from: allowance) }
        (unseen, comparing) = (page.unseen, page.comparing)
        cursor = MonthPayload.Cursor(text: page.cursor)
    }
}

/// What a vault has on the disk.
struct StoragePayload: Encodable {
    let photos: Int
    let bytes: UInt64
    let trashPhotos: Int
    let trashBytes: UInt64
    /// Of the disk, in whole steps of 100 MB.
    let freeBytes: UInt64
    /// Photos in whose pictures nobody has looked for words yet; nil where nobody does.
    let wordsLeft: Int?
    /// A newer version of the host's software, also after somebody put it off.
    let upgrade: UpgradePayload?

    init(_ storage: VaultStorage, upgrade: Upgrade?) {
        self.upgrade = upgrade.map(UpgradePayload.init)
        (photos, bytes) = (storage.photos.count, storage.photos.byteCount)
        (trashPhotos, trashBytes) = (storage.trash.count, storage.trash.byteCount)
        freeBytes = storage.freeByteCount
        wordsLeft = storage.withoutWords
    }
}

/// What an import proved: how many files of each kind there were.
package struct ImportProofPayload: Codable, Sendable {
    package var files: UInt32
    package var archives: UInt32
    /// Stored, read back and compared.
    package var stored: UInt32
    package var known: UInt32
    package var again: UInt32
    /// No photos, or in the trash there.
    package var left: UInt32
    /// Not proven to lie in the vault.
    package var failed: UInt32
    package var isProven: Bool

    package init(
        files: UInt32, archives: UInt32, stored: UInt32, known: UInt32, again: UInt32, left: UInt32, failed: UInt32,
        isProven: Bool
    ) {
        self.files = files
        self.archives = archives
        self.stored = stored
        self.known = known
        self.again = again
        self.left = left
        self.failed = failed
        self.isProven = isProven
    }

    /// - Parameter at: when it ended, in milliseconds since 1970.
    package func record(at: UInt64) -> LastImportRecord {
        LastImportRecord(
            at: at, files: files, archives: archives, stored: stored, known: known, again: again, left: left,
            failed: failed, isProven: isProven)
    }

    init(_ record: LastImportRecord) {
        self.init(
            files: record.files, archives: record.archives, stored: record.stored, known: record.known,
            again: record.again, left: record.left, failed: record.failed, isProven: record.isProven)
    }
}
