import Records
import Store

/// Puts the rows of long records together, and finds those that verify and yet belong to nothing whole: a photo whose
/// record breaks off, a part without a photo.
struct RowChains {
    /// Rows of one record at most: a photo of as many runs as an upload may have, that came with as many batches and
    /// under as long names as are kept, takes 1,975.
    static let mostRows = 2048

    private(set) var photos: [(number: UInt64, piece: RowPiece)] = []
    /// Other records that go on in other rows: albums, doors, and what a later version keeps.
    private(set) var others: [(number: UInt64, piece: RowPiece)] = []
    /// Bytes of the records that `takeBroken` found whole.
    private(set) var storedByteCount: UInt64 = 0
    private var continuations: [UInt64: RowPiece] = [:]

    /// Numbers of parts that no record has taken.
    var unclaimed: [UInt64] { Array(continuations.keys) }

    mutating func add(_ number: UInt64, _ piece: RowPiece) {
        switch piece.kind {
        case .photo: photos.append((number, piece))
        case .continuation: continuations[number] = piece
        case .album, .door: others.append((number, piece))
        case .empty, .head, .batch, .keptSession, .way, .successor: break
        default: if piece.next != nil { others.append((number, piece)) }
        }
    }

    /// Takes in those of other rows of the same vault.
    mutating func add(_ other: RowChains) {
        photos += other.photos
        others += other.others
        continuations.merge(other.continuations) { mine, _ in mine }
    }

    /// - Returns: numbers of those rows, and the objects that the broken records still name.
    mutating func takeBroken() -> (numbers: [UInt64], objects: [ObjectID]) {
        var broken: [(number: UInt64, piece: RowPiece)] = []
        for photo in photos {
            if let record = takeRecord(from: photo.piece) {
                storedByteCount += record.storedByteCount
            } else {
                broken.append(photo)
            }
        }
        let objects = broken.compactMap { $0.piece.photoObject }
        broken += others.filter { !isWhole($0.piece) }
        return (broken.map(\.number) + unclaimed, objects)
    }

    /// Takes the parts of a record of a kind that is not known away, if it is whole, or of an album or a door.
    mutating func isWhole(_ first: RowPiece) -> Bool {
        switch first.kind {
        case .album: takeAlbum(from: first) != nil
        case .door: takeDoor(from: first) != nil
        default: take(from: first, as: { $0 }) != nil
        }
    }

    mutating func takeDoor(from first: RowPiece) -> DoorRecord? { take(from: first) { try? DoorRecord($0) } }

    mutating func takeAlbum(from first: RowPiece) -> AlbumRecord? { take(from: first) { try? AlbumRecord($0) } }

    /// Takes the parts of a photo's record away, if it is whole.
    mutating func takeRecord(from first: RowPiece) -> PhotoRecord? {
        take(from: first) { try? PhotoRecord.decode($0) }
    }

    private mutating func take<Record>(from first: RowPiece, as decode: ([UInt8]) -> Record?) -> Record? {
        var payload = first.payload
        var following = first.next
        var taken: [UInt64: RowPiece] = [:]
        while let next = following, taken.count + 1 < Self.mostRows,
            let part = continuations.removeValue(forKey: next)
        {
            payload += part.payload
            following = part.next
            taken[next] = part
        }
        if following == nil, let record = decode(payload) { return record }
        continuations.merge(taken) { mine, _ in mine }
        return nil
    }
}
