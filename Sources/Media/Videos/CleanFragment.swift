/// What of a fragment (ISO 14496-12, `moof`) a clean copy keeps, and where its samples lie.
struct CleanFragment {
    private static let contents: Set<String> = ["tfhd", "tfdt", "trun"]
    private static let mostTracks = 64
    private static let mostRunBytes = 4 << 20

    private let cleaner: BoxCleaner
    private let fragment: Box
    private let tracks: [UInt32: UInt32]
    /// Behind the samples of the track before, from where on some fragments count; nil where that is not known.
    private var end: UInt64?

    /// - Parameter tracks: those that are kept, and the size of their samples where nothing else says it.
    init(_ cleaner: BoxCleaner, _ fragment: Box, tracks: [UInt32: UInt32], kept: inout KeptRanges) throws(MediaError) {
        (self.cleaner, self.fragment, self.tracks) = (cleaner, fragment, tracks)
        end = fragment.start
        let boxes = try cleaner.boxes(in: fragment)
        guard boxes.count(where: { $0.type == "traf" }) <= Self.mostTracks else { throw .noCleanCopy }
        for box in boxes {
            switch box.type {
            case "mfhd": try cleaner.keep(8, of: box)
            case "traf": try take(box, kept: &kept)
            default: cleaner.drop(box)
            }
        }
    }

    private mutating func take(_ track: Box, kept: inout KeptRanges) throws(MediaError) {
        guard let box = cleaner.reader.boxes(in: track).first("tfhd") else { throw .noCleanCopy }
        let header = try FragmentHeader(try cleaner.payload(box, limit: 256))
        guard let standard = tracks[header.track] else {
            cleaner.drop(track)
            end = nil
            return
        }
        var hasHeader = false
        let base = header.base ?? (header.countsFromFragment ? fragment.start : end)
        guard var place = base else { throw .noCleanCopy }
        for inner in try cleaner.boxes(in: track) {
            guard Self.contents.contains(inner.type) else {
                cleaner.drop(inner)
                continue
            }
            switch inner.type {
            case "tfhd":
                guard !hasHeader else { throw .noCleanCopy }
                hasHeader = true
                try cleaner.keep(header.byteCount, of: inner)
            case "tfdt": try cleaner.keep(try cleaner.version(inner) == 1 ? 12 : 8, of: inner)
            default:
                let run = try FragmentRun(
                    try cleaner.payload(inner, limit: Self.mostRunBytes), standard: header.sampleSize ?? standard)
                try cleaner.keep(run.byteCount, of: inner)
                if let offset = run.offset, let base {
                    let (sum, overflow) = base.addingReportingOverflow(UInt64(bitPattern: Int64(offset)))
                    // A negative offset wraps around, which is no overflow but of the number without a sign.
                    guard overflow == (offset < 0) else { throw .noCleanCopy }
                    place = sum
                }
                try kept.insert(at: place, count: run.samples)
                place += run.samples
            }
        }
        end = place
    }
}

/// `tfhd`
private struct FragmentHeader {
    let track: UInt32
    let base: UInt64?
    let sampleSize: UInt32?
    let countsFromFragment: Bool
    let byteCount: UInt64

    init(_ payload: [UInt8]) throws(MediaError) {
        guard let flags: UInt32 = payload.integer(at: 0), let track: UInt32 = payload.integer(at: 4) else {
            throw .noCleanCopy
        }
        func place(behind fields: [(UInt32, Int)]) -> Int {
            fields.reduce(8) { $0 + (flags & $1.0 != 0 ? $1.1 : 0) }
        }
        let fields: [(UInt32, Int)] = [(0x1, 8), (0x2, 4), (0x8, 4), (0x10, 4), (0x20, 4)]
        self.track = track
        base = flags & 0x1 != 0 ? payload.integer(UInt64.self, at: 8) : nil
        sampleSize = flags & 0x10 != 0 ? payload.integer(UInt32.self, at: place(behind: Array(fields.prefix(3)))) : nil
        countsFromFragment = flags & 0x2_0000 != 0
        byteCount = UInt64(place(behind: fields))
        guard byteCount <= UInt64(payload.count) else { throw .noCleanCopy }
    }
}

/// `trun`
private struct FragmentRun {
    let offset: Int32?
    /// Bytes of all samples together.
    let samples: UInt64
    /// Bytes of the box that say something.
    let byteCount: UInt64

    init(_ payload: [UInt8], standard: UInt32) throws(MediaError) {
        guard let flags: UInt32 = payload.integer(at: 0), let count: UInt32 = payload.integer(at: 4) else {
            throw .noCleanCopy
        }
        offset = flags & 0x1 != 0 ? payload.integer(Int32.self, at: 8) : nil
        let first = 8 + (flags & 0x1 != 0 ? 4 : 0) + (flags & 0x4 != 0 ? 4 : 0)
        let entry = [0x100, 0x200, 0x400, 0x800].count { flags & $0 != 0 } * 4
        byteCount = UInt64(first) + UInt64(count) * UInt64(entry)
        guard byteCount <= UInt64(payload.count) else { throw .noCleanCopy }
        guard flags & 0x200 != 0 else {
            samples = UInt64(count) * UInt64(standard)
            return
        }
        let size = flags & 0x100 != 0 ? 4 : 0
        samples = (0..<Int(count)).reduce(0) { sum, index in
            sum + UInt64(payload.integer(UInt32.self, at: first + index * entry + size) ?? 0)
        }
    }
}
