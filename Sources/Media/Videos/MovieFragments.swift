/// The fragments of a movie whose header knows nothing of their samples (ISO 14496-12, `moof`): the times of the first
/// one and of the last ones. What lies between them is never read.
struct MovieFragments {
    /// Boxes that are looked at on the way to the last fragment, where no index at the end tells where it lies.
    private static let mostBoxes = 1024
    /// Tracks may take turns in fragments of their own.
    private static let lastCount = 8

    /// What a track says of its samples: units in a second, and how long a sample is that says nothing itself.
    struct Clock {
        var timescale: UInt32
        var sampleDuration: UInt32 = 0
    }

    private let reader: BoundedReader
    /// Clocks by the track's number.
    private let clocks: [UInt32: Clock]

    init(_ reader: BoundedReader, clocks: [UInt32: Clock]) {
        self.reader = reader
        self.clocks = clocks
    }

    /// From the first sample to the end of the last one.
    /// - Parameter position: where the movie's header ends.
    func duration(after position: UInt64) -> Duration? {
        guard position <= reader.byteCount else { return nil }
        let first = BoxList(reader, in: position..<reader.byteCount, until: "moof", atMost: Self.mostBoxes)
        guard let start = first.first("moof").flatMap({ runs($0).map(\.lowerBound).min() }) else { return nil }
        let indexed = lastIndexed.flatMap { end(after: max($0, position)) }
        guard let end = indexed ?? end(after: position), end > start, end - start < 366 * 86_400 else { return nil }
        return .milliseconds(Int64(((end - start) * 1000).rounded()))
    }

    /// When the last sample ends, in seconds; nil where too many boxes follow.
    private func end(after position: UInt64) -> Double? {
        guard position <= reader.byteCount else { return nil }
        let found = BoxList(reader, in: position..<reader.byteCount, atMost: Self.mostBoxes).boxes
        guard found.count < Self.mostBoxes else { return nil }
        return found.filter { $0.type == "moof" }.suffix(Self.lastCount).flatMap(runs).map(\.upperBound).max()
    }

    // MARK: One fragment

    /// From when until when each track of the fragment runs, in seconds.
    private func runs(_ fragment: Box) -> [ClosedRange<Double>] {
        reader.boxes(in: fragment).boxes.prefix(32).compactMap { $0.type == "traf" ? run($0) : nil }
    }

    private func run(_ track: Box) -> ClosedRange<Double>? {
        let boxes = reader.boxes(in: track)
        guard let header = boxes.first("tfhd").flatMap({ reader.payload($0, limit: 64) }),
            let number: UInt32 = header.integer(at: 4), let clock = clocks[number], clock.timescale > 0,
            let start = boxes.first("tfdt").flatMap({ reader.payload($0, limit: 64) }).flatMap(Self.start)
        else { return nil }
        let standard = Self.sampleDuration(header) ?? clock.sampleDuration
        let samples = boxes.boxes.filter { $0.type == "trun" }.prefix(64)
            .compactMap { reader.payload($0, limit: 1 << 20) }.reduce(0.0) { $0 + Self.length($1, standard) }
        let (from, perSecond) = (Double(start), Double(clock.timescale))
        return from / perSecond...(from + samples) / perSecond
    }

    private static func start(_ payload: [UInt8]) -> UInt64? {
        payload.first == 1
            ? payload.integer(UInt64.self, at: 4) : payload.integer(UInt32.self, at: 4).map(UInt64.init)
    }

    private static func flags(_ payload: [UInt8]) -> UInt32 { (payload.integer(at: 0) ?? 0) & 0xFF_FFFF }

    /// Of `tfhd`, behind what stands before it only where its flag is set.
    private static func sampleDuration(_ header: [UInt8]) -> UInt32? {
        let flags = flags(header)
        guard flags & 0x8 != 0 else { return nil }
        return header.integer(at: 8 + (flags & 0x1 != 0 ? 8 : 0) + (flags & 0x2 != 0 ? 4 : 0))
    }

    /// Of a `trun`, in units of the track: its samples say how long they are, or last as long as the fragment's do.
    private static func length(_ run: [UInt8], _ standard: UInt32) -> Double {
        guard let count: UInt32 = run.integer(at: 4) else { return 0 }
        let flags = flags(run)
        guard flags & 0x100 != 0 else { return Double(count) * Double(standard) }
        let size = [0x100, 0x200, 0x400, 0x800].count { flags & $0 != 0 } * 4
        let first = 8 + (flags & 0x1 != 0 ? 4 : 0) + (flags & 0x4 != 0 ? 4 : 0)
        return stride(from: first, to: run.count, by: size).prefix(Int(count))
            .reduce(0.0) { $0 + Double(run.integer(UInt32.self, at: $1) ?? 0) }
    }

    // MARK: The index at the end

    /// Where the last fragment that begins with a key picture lies, by `mfra`, whose size stands in the last bytes.
    private var lastIndexed: UInt64? {
        guard reader.byteCount >= 16, let end = reader.bytes(at: reader.byteCount - 16, count: 16),
            Array(end[4..<8]) == Array("mfro".utf8), let size: UInt32 = end.integer(at: 12),
            UInt64(size) <= reader.byteCount,
            let index = BoxList(reader, in: reader.byteCount - UInt64(size)..<reader.byteCount, atMost: 1).first("mfra")
        else { return nil }
        let tables = reader.boxes(in: index).boxes.prefix(32).filter { $0.type == "tfra" }
        return tables.compactMap(lastOffset).min()
    }

    /// Of a `tfra`: the place of its last entry, at `lengths` of which the last three numbers take 1 to 4 bytes each.
    private func lastOffset(_ table: Box) -> UInt64? {
        guard let head = reader.bytes(at: table.payload.lowerBound, count: 16),
            let lengths: UInt32 = head.integer(at: 8), let count: UInt32 = head.integer(at: 12), count > 0
        else { return nil }
        let isLong = head.first == 1
        let size = (isLong ? 16 : 8) + [4, 2, 0].reduce(3) { $0 + Int(lengths >> UInt32($1) & 3) }
        let place = table.payload.lowerBound + 16 + UInt64(count - 1) * UInt64(size)
        guard place < table.payload.upperBound, let entry = reader.bytes(at: place, count: size) else { return nil }
        return isLong ? entry.integer(UInt64.self, at: 8) : entry.integer(UInt32.self, at: 4).map(UInt64.init)
    }
}
