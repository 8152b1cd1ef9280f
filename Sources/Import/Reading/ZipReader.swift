import CZlib
import Imaging

/// Reads a ZIP archive from its first entry to its last, in constant memory but for the list of what is in it.
final class ZipReader: EntryReader {
    private static let pieceByteCount = 64 << 10

    private let file: PositionedFile
    private let directory: ZipDirectory
    private let inflater: Inflater
    private let unpacking: Unpacking
    private var index = -1
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
    /// Of `piece`, what the inflater has not taken yet.
    private var waiting = 0..<0
    /// Where the next packed byte lies, and how many are left.
    private var place: UInt64 = 0
    private var left: UInt64 = 0
    private var made: UInt64 = 0
    private var checksum: UInt = 0
    private var isOpen = false
    private var isEnded = false

    private(set) var consumedByteCount: UInt64 = 0
    var totalByteCount: UInt64 { file.byteCount }

    /// - Throws: `ImportError.source`.
    convenience init(path: String, _ unpacker: Unpacker) throws {
        try self.init(PositionedFile(path: path), unpacker)
    }

    private init(_ file: PositionedFile, _ unpacker: Unpacker) throws {
        self.file = file
        unpacking = Unpacking(file, unpacker)
        directory = try ZipDirectory(file)
        inflater = try Inflater(.raw)
    }

    deinit { piece.deallocate() }

    func next() throws -> ImportEntry? {
        if index >= 0, index < directory.records.count {
            let record = directory.records[index]
            consumedByteCount = max(consumedByteCount, record.offset &+ record.packedByteCount)
        }
        index += 1
        isOpen = false
        return index < directory.records.count ? directory.records[index].entry : nil
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard directory.records.indices.contains(index) else { return 0 }
        let record = directory.records[index]
        if let refusal = record.entry.refusal { throw ImportError.entry(refusal) }
        if !isOpen { try open(record) }
        let count =
            switch record.method {
            case 0: try copy(into: buffer)
            case 8: try inflate(into: buffer)
            default: try ofEntry { try unpacking.read(into: buffer) }
            }
        made += UInt64(count)
        guard made <= record.entry.byteCount else { throw ImportError.entry("it is larger than it says") }
        // What unpacks beside this process is minded there.
        if record.method == 8, ArchiveLimits.isBomb(produced: made, consumed: record.packedByteCount - left) {
            throw ImportError.entry(ArchiveLimits.bombReason)
        }
        checksum = crc32(checksum, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(count))
        if count == 0 { try close(record) }
        return count
    }

    /// What stands before the bytes has to say what the directory says.
    private func open(_ record: ZipDirectory.Record) throws {
        let header = try entryBytes(at: record.offset, count: 30)
        guard header.little32(0) == 0x0403_4B50 else { throw ImportError.entry("its header is damaged") }
        let name = try entryBytes(at: record.offset + 30, count: Int(header.little16(26)))
        guard name == record.name, header.little16(8) == record.method else {
            throw ImportError.entry("its two headers differ")
        }
        place = record.offset + 30 + UInt64(header.little16(26)) + UInt64(header.little16(28))
        let limit = index + 1 < directory.records.count ? directory.records[index + 1].offset : directory.begin
        guard place <= limit, record.packedByteCount <= limit - place else {
            throw ImportError.entry("its bytes are those of others, too")
        }
        left = record.packedByteCount
        (waiting, made, checksum) = (0..<0, 0, crc32(0, nil, 0))
        (isOpen, isEnded) = (true, record.method != 8)
        inflater.restart()
        guard let packing = ZipDirectory.packings[record.method] else { return }
        try ofEntry {
            try unpacking.begin(
                packing, place..<place + left,
                unpackedByteCount: record.hasEndMark ? nil : record.entry.byteCount)
        }
        advance(Int(left))
    }

    private func entryBytes(at offset: UInt64, count: Int) throws -> [UInt8] {
        do {
            return try file.bytes(at: offset, count: count)
        } catch let error as ImportError {
            throw ImportError.entry(error.description)
        }
    }

    /// What ends the reading of one entry says nothing of those beside it.
    private func ofEntry<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch ImportError.source(let reason) {
            throw ImportError.entry("it \(reason)")
        }
    }

    private func close(_ record: ZipDirectory.Record) throws {
        guard made == record.entry.byteCount, left == 0, waiting.isEmpty else {
            throw ImportError.entry("it is not as large as it says")
        }
        guard UInt32(truncatingIfNeeded: checksum) == record.checksum else {
            throw ImportError.entry("it is damaged: its checksum is another")
        }
    }

    private func copy(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(buffer.count), left))])
        guard !wanted.isEmpty else { return 0 }
        let count = try file.read(at: place, into: wanted)
        guard count == wanted.count else { throw ImportError.source(PositionedFile.cutOff) }
        advance(count)
        return count
    }

    private func inflate(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while !isEnded {
            if waiting.isEmpty { try fill() }
            let (taken, count, step) = try inflater.step(
                from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[waiting]), into: buffer)
            waiting = (waiting.lowerBound + taken)..<waiting.upperBound
            isEnded = step == .ended
            if count > 0 { return count }
            if taken == 0, !isEnded, left == 0 { throw ImportError.entry("its compressed bytes end too early") }
        }
        return 0
    }

    private func fill() throws {
        let count = Int(min(UInt64(piece.count), left))
        guard try file.read(at: place, into: UnsafeMutableRawBufferPointer(rebasing: piece[..<count])) == count else {
            throw ImportError.source(PositionedFile.cutOff)
        }
        waiting = 0..<count
        advance(count)
    }

    private func advance(_ count: Int) {
        place += UInt64(count)
        left -= UInt64(count)
        consumedByteCount = max(consumedByteCount, place)
    }
}
