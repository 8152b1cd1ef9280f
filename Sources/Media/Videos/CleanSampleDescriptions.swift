/// The `stsd` box of a track, which says how its samples are coded: what decoders need stays, names and makers go.
struct CleanSampleDescriptions {
    /// Codings whose samples hold pictures and sound alone. Those of Motion JPEG are files that have metadata of their own.
    private static let pictures: Set<String> = [
        "avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "dvav", "dva1", "av01", "vp08", "vp09", "mp4v", "s263", "h263",
        "apco", "apcs", "apcn", "apch", "ap4h", "ap4x", "vvc1", "vvi1",
    ]
    private static let sounds: Set<String> = [
        "mp4a", ".mp3", "ms\0U", "ac-3", "ac-4", "ec-3", "alac", "Opus", "fLaC", "apac", "samr", "sawb", "sowt", "twos",
        "lpcm",
        "in24", "in32", "fl32", "fl64", "ulaw", "alaw", "raw ", "NONE", "ipcm", "fpcm", "ima4",
    ]
    /// What describes a coding, a colour, a shape or a layout of loudspeakers, and how many bytes of it; zero for all.
    private static let described: [String: UInt64] = [
        "avcC": 0, "hvcC": 0, "lhvC": 0, "vvcC": 0, "av1C": 0, "vpcC": 0, "dvcC": 24, "dvvC": 24, "dvwC": 24, "esds": 0,
        "d263": 7, "damr": 9, "dac3": 3, "dec3": 0, "dac4": 0, "alac": 0, "dOps": 0, "dfLa": 0, "pcmC": 6, "dapa": 0,
        "chan": 0,
        "chnl": 0, "colr": 0, "pasp": 8, "clap": 32, "fiel": 2, "btrt": 12, "clli": 4, "mdcv": 24, "amve": 8, "gama": 4,
        "auxi": 0, "ccst": 8, "enda": 2, "frma": 4, "mp4a": 4,
    ]

    private let cleaner: BoxCleaner
    private let box: Box
    private let entries: [Box]

    init(_ cleaner: BoxCleaner, _ box: Box) throws(MediaError) {
        self.cleaner = cleaner
        self.box = box
        guard box.payload.count >= 8 else { throw .noCleanCopy }
        entries = cleaner.reader.boxes(in: box, skipping: 8).boxes
    }

    func clean() throws(MediaError) {
        for entry in try cleaner.boxes(in: box, skipping: 8) {
            // QuickTime ends its list with zeros.
            if Self.pictures.contains(entry.type) {
                try clean(entry, fields: 78, clearing: [0..<6, 8..<24, 42..<74])
            } else if Self.sounds.contains(entry.type) {
                let fields = try soundFields(entry)
                try clean(entry, fields: fields, clearing: [0..<6, 12..<16])
            } else {
                throw .noCleanCopy
            }
        }
    }

    /// - Parameter fields: bytes in front of the boxes that an entry has.
    private func clean(_ entry: Box, fields: UInt64, clearing: [Range<UInt64>]) throws(MediaError) {
        for range in clearing { try cleaner.clear(range, of: entry) }
        for inner in try cleaner.boxes(in: entry, skipping: fields) {
            if inner.type == "wave" {
                for part in try cleaner.boxes(in: inner) { try keep(part) }
            } else {
                try keep(inner)
            }
        }
    }

    private func keep(_ inner: Box) throws(MediaError) {
        guard let count = Self.described[inner.type], inner.payload.count <= 64 << 10 else {
            // The mark behind the last one in `wave` has no name and nothing in it.
            if !inner.payload.isEmpty || inner.type != "\0\0\0\0" { cleaner.drop(inner) }
            return
        }
        if count > 0 { try cleaner.keep(min(count, UInt64(inner.payload.count)), of: inner) }
    }

    // MARK: Sound

    /// Bytes in front of the boxes, which are more in QuickTime's versions 1 and 2.
    private func soundFields(_ entry: Box) throws(MediaError) -> UInt64 {
        guard entry.payload.count >= 28, let head = cleaner.reader.bytes(at: entry.payload.lowerBound, count: 28),
            let version: UInt16 = head.integer(at: 8)
        else { throw .noCleanCopy }
        guard try cleaner.version(box) == 0 else { return 28 }
        switch version {
        case 0: return 28
        case 1: return 44
        case 2: return 64
        default: throw .noCleanCopy
        }
    }

    /// Bytes that `count` samples take of a coding whose samples all have the same size: of sound without compression QuickTime
    /// counts frames, and may say that one is a byte; of other sound it counts what is in its packets.
    /// - Parameter size: what the table of sizes says
    func byteCount(ofSamples count: UInt64, size: UInt64) throws(MediaError) -> UInt64 {
        guard let entry = entries.first, Self.sounds.contains(entry.type) else { return try Self.product(count, size) }
        guard entries.count == 1, entry.payload.count >= 28,
            let head = cleaner.reader.bytes(at: entry.payload.lowerBound, count: 28),
            let version: UInt16 = head.integer(at: 8), let channels: UInt16 = head.integer(at: 16),
            let bits: UInt16 = head.integer(at: 18)
        else { throw .noCleanCopy }
        if let sample = Self.plain[entry.type] {
            let frame = UInt64(channels) * (sample > 0 ? sample : UInt64(bits) / 8)
            return try Self.product(count, size == 1 ? max(frame, 1) : size)
        }
        guard version == 1, try cleaner.version(box) == 0, entry.payload.count >= 44,
            let packet = cleaner.reader.bytes(at: entry.payload.lowerBound + 28, count: 12),
            let samples: UInt32 = packet.integer(at: 0), let bytes: UInt32 = packet.integer(at: 8), samples > 0,
            bytes > 0
        else { return try Self.product(count, size) }
        return try Self.product((count + UInt64(samples) - 1) / UInt64(samples), UInt64(bytes))
    }

    private static func product(_ count: UInt64, _ size: UInt64) throws(MediaError) -> UInt64 {
        let (product, overflow) = count.multipliedReportingOverflow(by: size)
        guard !overflow else { throw .noCleanCopy }
        return product
    }

    /// Bytes of a sample of one channel, by coding; zero for those whose description says it.
    private static let plain: [String: UInt64] = [
        "raw ": 0, "NONE": 0, "twos": 0, "sowt": 0, "in24": 3, "in32": 4, "fl32": 4, "fl64": 8, "ulaw": 1, "alaw": 1,
    ]
}
