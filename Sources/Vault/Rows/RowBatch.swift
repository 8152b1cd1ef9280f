import Content
import NIOCore
import Records
import Sealing
import Store
import Synchronization
import Threads

/// Rows that were read and wait to be opened, many at once, so that handing them to another thread costs little.
struct RowBatch: Sendable {
    private static let limit = 1024

    private var rows: [(number: UInt64, id: RowID)] = []
    private var bodies: [UInt8] = []

    init() {
        rows.reserveCapacity(Self.limit)
        bodies.reserveCapacity(Self.limit * RowCodec.bodyByteCount)
    }

    var isFull: Bool { rows.count >= Self.limit }

    /// A body of another size is nobody's row, and is left out.
    mutating func append(_ number: UInt64, _ id: RowID, _ body: UnsafeRawBufferPointer) {
        guard body.count == RowCodec.bodyByteCount else { return }
        rows.append((number, id))
        bodies.append(contentsOf: body)
    }

    /// Blocking. Opens all of them.
    func open(_ makeCodec: () throws -> RowCodec) throws -> RowFindings {
        var codec = try makeCodec()
        var found = RowFindings()
        try bodies.withUnsafeBytes { bodies in
            for (index, row) in rows.enumerated() {
                let start = index * RowCodec.bodyByteCount
                let body = UnsafeRawBufferPointer(rebasing: bodies[start..<start + RowCodec.bodyByteCount])
                try found.take(row.number, row.id, body, &codec)
            }
        }
        return found
    }
}

/// A set of row numbers. They are counted from zero without large gaps: a bit each takes less than an entry of a hash
/// set, and sets are united word by word.
struct RowNumbers: Sendable {
    private var words: [UInt64] = []
    private(set) var count: UInt64 = 0

    func contains(_ number: UInt64) -> Bool {
        let (word, bit) = Self.place(of: number)
        return word < words.count && words[word] & bit != 0
    }

    mutating func insert(_ number: UInt64) {
        guard !contains(number) else { return }
        let (word, bit) = Self.place(of: number)
        grow(to: word + 1)
        words[word] |= bit
        count += 1
    }

    mutating func formUnion(_ other: RowNumbers) {
        grow(to: other.words.count)
        for (index, word) in other.words.enumerated() where word != 0 {
            count += UInt64((word & ~words[index]).nonzeroBitCount)
            words[index] |= word
        }
    }

    private mutating func grow(to count: Int) {
        guard count > words.count else { return }
        words += repeatElement(0, count: count - words.count)
    }

    private static func place(of number: UInt64) -> (word: Int, bit: UInt64) { (Int(number / 64), 1 << (number % 64)) }
}

/// Puts the rows of long records together, and finds those that verify and yet belong to nothing whole: a photo whose
/// record breaks off, a part without a photo.
struct RowChains {
    /// Rows of one record at most: a photo of as many runs as an upload may have, that came with as many batches and
    /// under as long names as are kept, takes 1,975.
    static let mostRows = 2048

    private(set) var photos: [(number: UInt64, piece: RowPiece)] = []
    /// Other records that go on in other rows: albums, doors, windows, and what a later version keeps.
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
        case .album, .door, .window: others.append((number, piece))
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

    /// Takes the parts of a record of a kind that is not known away, if it is whole, or of an album, a door or a window.
    mutating func isWhole(_ first: RowPiece) -> Bool {
        switch first.kind {
        case .album: takeAlbum(from: first) != nil
        case .door: takeDoor(from: first) != nil
        case .window: takeListOfWindow(from: first)
        default: take(from: first, as: { $0 }) != nil
        }
    }

    private mutating func takeListOfWindow(from first: RowPiece) -> Bool {
        guard let record = takeWindow(from: first) else { return false }
        storedByteCount += record.list.storedByteCount
        return true
    }

    mutating func takeWindow(from first: RowPiece) -> WindowRecord? { take(from: first) { try? WindowRecord($0) } }

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

/// Opens a vault's rows on other threads while more of them are read. Blocking.
struct RowOpenings {
    /// Batches on their way at most, one more than can be opened at the same time: memory is theirs.
    private static let limit = System.coreCount + 1

    private let threads: SealingThreads
    private let makeCodec: @Sendable () throws -> RowCodec
    private var filling = RowBatch()
    /// The oldest first.
    private var running: [StartedWork<RowFindings>] = []

    /// - Parameter makeCodec: one for each batch, for the vault whose rows they are
    init(on threads: SealingThreads, makeCodec: @escaping @Sendable () throws -> RowCodec) {
        self.threads = threads
        self.makeCodec = makeCodec
    }

    /// Takes a row in; waits while too many are on their way, and adds to `found` what the oldest of them say.
    mutating func append(
        _ number: UInt64, _ id: RowID, _ body: UnsafeRawBufferPointer, to found: inout RowFindings
    ) throws {
        filling.append(number, id, body)
        guard filling.isFull else { return }
        if running.count >= Self.limit { try takeOldest(into: &found) }
        start()
    }

    /// Waits for all rows that were taken in.
    mutating func finish(into found: inout RowFindings) throws {
        start()
        while !running.isEmpty { try takeOldest(into: &found) }
    }

    private mutating func start() {
        running.append(threads.start { [makeCodec, filling] in try filling.open(makeCodec) })
        filling = RowBatch()
    }

    private mutating func takeOldest(into found: inout RowFindings) throws {
        found.add(try running.removeFirst().waitForResult().get())
    }
}

/// The key of an open vault, or of a guest's space, and what is kept ready under it. Wiped with the last reference.
package final class VaultKeys: Sendable {
    let vaultKey: SecretBytes
    let codec: Mutex<RowCodec>
    private let home: RowHome

    /// - Parameter isGhost: whether it is the daemon's own, which opens nothing of anybody.
    init(_ vaultKey: consuming SecretBytes, home: RowHome, isGhost: Bool = false) throws {
        codec = Mutex(try RowCodec(vaultKey: vaultKey, home: home))
        #if DEBUG
        if !isGhost { try KeyRecord.note(vaultKey) }
        #endif
        self.vaultKey = vaultKey
        self.home = home
    }

    /// One more of the kind, for a thread of its own.
    func makeCodec() throws -> RowCodec { try RowCodec(vaultKey: vaultKey, home: home) }
}
