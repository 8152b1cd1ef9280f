import Records
import Sealing
import Store

/// What a vault's rows say, as far as they were read.
struct RowFindings: Sendable {
    var rows = VaultRows()
    var entries: [LibraryEntry] = []
    var batches: [BatchEntry] = []
    var keptSessions: [KeptSession] = []
    var ways: [WayRecord] = []
    var albums: [AlbumEntry] = []
    var doors: [DoorEntry] = []
    var windows: [WindowEntry] = []
    /// Photos whose records go on in other rows, and those rows.
    var chains = RowChains()

    /// Takes in what a row says; one that fails its verification counts as missing.
    mutating func take(
        _ number: UInt64, _ id: RowID, _ body: UnsafeRawBufferPointer, _ codec: inout RowCodec
    ) throws {
        guard let piece = try codec.openIfSound(body, id: id) else { return }
        rows.found(number, element: try codec.element(id: id, body: body))
        switch piece.kind {
        case .empty: rows.empty.append(number)
        case .photo where piece.next == nil: takePhoto(number, try? PhotoRecord.decode(piece.payload))
        case .photo, .continuation: chains.add(number, piece)
        case .batch: takeBatch(number, piece.payload)
        case .keptSession: takeKeptSession(number, piece.payload)
        case .way: takeWay(number, piece.payload)
        case .album, .door, .window: chains.add(number, piece)
        case .head, .successor: rows.broken.append(number)
        // A later version's: it is kept, and so is what it goes on in.
        default: chains.add(number, piece)
        }
    }

    /// Takes in what was found in other rows of the same vault.
    mutating func add(_ other: RowFindings) {
        rows.add(other.rows)
        entries += other.entries
        batches += other.batches
        keptSessions += other.keptSessions
        ways += other.ways
        albums += other.albums
        doors += other.doors
        windows += other.windows
        chains.add(other.chains)
    }

    mutating func putChainsTogether() {
        for photo in chains.photos {
            takePhoto(photo.number, chains.takeRecord(from: photo.piece))
        }
        for other in chains.others {
            if other.piece.kind == .album {
                takeAlbum(other.number, chains.takeAlbum(from: other.piece))
            } else if other.piece.kind == .door {
                takeDoor(other.number, chains.takeDoor(from: other.piece))
            } else if other.piece.kind == .window {
                takeWindow(other.number, chains.takeWindow(from: other.piece))
            } else if !chains.isWhole(other.piece) {
                rows.broken.append(other.number)
            }
        }
        rows.broken += chains.unclaimed
    }

    private mutating func takePhoto(_ number: UInt64, _ record: PhotoRecord?) {
        guard let record else { return rows.broken.append(number) }
        entries.append(LibraryEntry(rowNumber: number, record: record))
    }

    private mutating func takeAlbum(_ number: UInt64, _ record: AlbumRecord?) {
        guard let record else { return rows.broken.append(number) }
        albums.append(AlbumEntry(rowNumber: number, record: record))
    }

    private mutating func takeDoor(_ number: UInt64, _ record: DoorRecord?) {
        guard let record else { return rows.broken.append(number) }
        doors.append(DoorEntry(rowNumber: number, record: record))
    }

    private mutating func takeWindow(_ number: UInt64, _ record: WindowRecord?) {
        guard let record else { return rows.broken.append(number) }
        windows.append(WindowEntry(rowNumber: number, record: record))
    }

    private mutating func takeBatch(_ number: UInt64, _ payload: [UInt8]) {
        guard let record = try? BatchRecord(payload) else { return rows.broken.append(number) }
        batches.append(BatchEntry(rowNumber: number, record: record))
    }

    private mutating func takeKeptSession(_ number: UInt64, _ payload: [UInt8]) {
        guard let session = try? KeptSession(payload, rowNumber: number) else { return rows.broken.append(number) }
        keptSessions.append(session)
    }

    private mutating func takeWay(_ number: UInt64, _ payload: [UInt8]) {
        guard let way = try? WayRecord(payload, rowNumber: number) else { return rows.broken.append(number) }
        ways.append(way)
    }
}

/// Which of a vault's rows were found, and their sum.
struct VaultRows {
    private(set) var numbers = RowNumbers()
    private(set) var accumulator = SetAccumulator()
    /// Numbers of rows that hold nothing.
    var empty: [UInt64] = []
    /// Of rows that verify and yet belong to nothing whole: a photo whose chain is broken, a part without a photo.
    var broken: [UInt64] = []

    /// One more than the highest number at which a row of the vault stands, a damaged one too.
    private(set) var end: UInt64 = 0

    mutating func noteUsed(_ number: UInt64) { end = max(end, number + 1) }

    mutating func found(_ number: UInt64, element: SetAccumulator) {
        noteUsed(number)
        numbers.insert(number)
        accumulator.add(element)
    }

    /// Takes in what was found of other rows of the same vault.
    mutating func add(_ other: VaultRows) {
        numbers.formUnion(other.numbers)
        accumulator.add(other.accumulator)
        empty += other.empty
        broken += other.broken
        end = max(end, other.end)
    }

    func missing(of count: UInt64) -> [UInt64] {
        if end <= count, numbers.count == count { return [] }
        return (0..<count).filter { !numbers.contains($0) }
    }
}
