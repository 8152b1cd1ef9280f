/// Where the samples of a track lie, by the tables in its `stbl` box.
struct SampleTables {
    private let cleaner: BoxCleaner
    private let descriptions: CleanSampleDescriptions
    private let sizes: Box
    private let chunks: Box
    private let offsets: Box

    /// - Throws: `noCleanCopy` where one is missing.
    init(_ cleaner: BoxCleaner, _ table: Box) throws(MediaError) {
        self.cleaner = cleaner
        let boxes = cleaner.reader.boxes(in: table)
        let offsets = [boxes.first("stco"), boxes.first("co64")].compactMap(\.self)
        guard let description = boxes.first("stsd"), let sizes = boxes.first("stsz"), let chunks = boxes.first("stsc"),
            let first = offsets.first, offsets.count == 1
        else { throw .noCleanCopy }
        descriptions = try CleanSampleDescriptions(cleaner, description)
        (self.sizes, self.chunks, self.offsets) = (sizes, chunks, first)
    }

    /// The bytes of each chunk. Every step reads an entry that stands in the file, so that numbers alone make no work.
    func insert(into kept: inout KeptRanges) throws(MediaError) {
        var offsets = try NumberTable(cleaner.reader, offsets, width: offsets.type == "co64" ? 8 : 4)
        var runs = try NumberTable(cleaner.reader, chunks, width: 4, perEntry: 3)
        var samples = try SampleSizes(cleaner.reader, sizes)
        var (perChunk, nextRun, chunk): (UInt64, [UInt64]?, UInt64) = (0, try Self.run(&runs), 1)
        while let offset = try offsets.next() {
            if let run = nextRun, run[0] == chunk {
                perChunk = run[1]
                nextRun = try Self.run(&runs)
                guard nextRun.map({ $0[0] > chunk }) ?? true else { throw .noCleanCopy }
            }
            guard perChunk > 0 else { throw .noCleanCopy }
            try kept.insert(at: offset, count: try samples.take(perChunk, descriptions))
            chunk += 1
        }
    }

    /// First chunk, samples in each from there on, their description.
    private static func run(_ table: inout NumberTable) throws(MediaError) -> [UInt64]? {
        guard let first = try table.next() else { return nil }
        guard let count = try table.next(), let description = try table.next() else { throw .noCleanCopy }
        return [first, count, description]
    }
}

/// The sizes of samples, which are taken chunk by chunk.
private struct SampleSizes {
    private let size: UInt64
    private var left: UInt64
    private var table: NumberTable?

    init(_ reader: BoundedReader, _ box: Box) throws(MediaError) {
        guard let head = reader.bytes(at: box.payload.lowerBound, count: 12), let size: UInt32 = head.integer(at: 4),
            let count: UInt32 = head.integer(at: 8)
        else { throw .noCleanCopy }
        (self.size, left) = (UInt64(size), UInt64(count))
        table = size == 0 ? try NumberTable(reader, box, width: 4, head: 12) : nil
    }

    /// The bytes of as many samples as there are, `count` at most.
    mutating func take(_ count: UInt64, _ descriptions: CleanSampleDescriptions) throws(MediaError) -> UInt64 {
        let count = min(count, left)
        left -= count
        guard table != nil else { return try descriptions.byteCount(ofSamples: count, size: size) }
        var sum: UInt64 = 0
        for _ in 0..<count {
            guard let next = try table?.next() else { throw .noCleanCopy }
            sum += next
        }
        return sum
    }
}

/// The numbers of a table, piece by piece.
private struct NumberTable {
    private static let bytesPerRead: UInt64 = 64 << 10

    private let reader: BoundedReader
    private let width: Int
    private var position: UInt64
    private let end: UInt64
    private var piece: [UInt8] = []
    private var index = 0

    /// - Parameter head: bytes in front of the first entry, of which the last four say how many there are.
    init(_ reader: BoundedReader, _ box: Box, width: Int, perEntry: UInt64 = 1, head: UInt64 = 8) throws(MediaError) {
        let place = box.payload.lowerBound + head
        guard head <= UInt64(box.payload.count),
            let count: UInt32 = reader.bytes(at: place - 4, count: 4)?.integer(at: 0)
        else { throw .noCleanCopy }
        let byteCount = UInt64(count) * perEntry * UInt64(width)
        guard byteCount <= box.payload.upperBound - place else { throw .noCleanCopy }
        (self.reader, self.width, position, end) = (reader, width, place, place + byteCount)
    }

    mutating func next() throws(MediaError) -> UInt64? {
        if index == piece.count {
            guard position < end else { return nil }
            let count = Int(min(Self.bytesPerRead, end - position))
            guard let read = reader.bytes(at: position, count: count) else { throw .noCleanCopy }
            (piece, index) = (read, 0)
            position += UInt64(count)
        }
        var number: UInt64 = 0
        for byte in piece[index..<index + width] { number = number << 8 | UInt64(byte) }
        index += width
        return number
    }
}
