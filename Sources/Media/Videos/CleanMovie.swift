/// What of a movie's header a clean copy keeps (ISO 14496-12; Apple's QuickTime File Format): tracks of pictures and sound,
/// and of these what players need. Times are zero, names are empty; user data, tracks of facts (GPS, sensors, time codes)
/// and whatever is not known here become `free`.
struct CleanMovie {
    /// Pictures, sound, the pictures of a sequence, and depth or transparency beside them.
    private static let handlers: Set<String> = ["vide", "soun", "pict", "auxv"]

    /// What each container keeps. No box here contains itself, so that none lies deep.
    private static let contents: [String: Set<String>] = [
        "trak": ["tkhd", "tapt", "edts", "tref", "mdia"], "tapt": ["clef", "prof", "enof"], "edts": ["elst"],
        "mdia": ["mdhd", "hdlr", "minf"], "minf": ["vmhd", "smhd", "hdlr", "dinf", "stbl"], "dinf": ["dref"],
        "stbl": ["stsd", "stts", "ctts", "cslg", "stss", "stps", "stsc", "stsz", "stco", "co64"],
        "mvex": ["mehd", "trex"], "tref": ["auxl", "prem", "vdep"],
    ]
    /// A second one of any other would be read by some and not by others.
    private static let repeated: Set<String> = ["trex", "auxl", "prem", "vdep"]
    private static let mostTracks = 64

    private let cleaner: BoxCleaner
    /// Tracks that are kept, by number, and the size of their samples that says nothing itself in a fragment.
    private(set) var tracks: [UInt32: UInt32] = [:]

    /// - Throws: `noCleanCopy` for a movie whose samples cannot be told apart.
    init(_ cleaner: BoxCleaner, _ movie: Box, kept: inout KeptRanges) throws(MediaError) {
        self.cleaner = cleaner
        let boxes = try cleaner.boxes(in: movie)
        guard boxes.count(where: { $0.type == "trak" }) <= Self.mostTracks,
            boxes.count(where: { $0.type == "mvhd" }) == 1, boxes.count(where: { $0.type == "mvex" }) <= 1
        else { throw .noCleanCopy }
        for box in boxes {
            switch box.type {
            case "mvhd": try keepMovieHeader(box)
            case "trak" where isKept(box): try take(track: box, kept: &kept)
            case "mvex": try clean(box)
            default: cleaner.drop(box)
            }
        }
        for box in boxes where box.type == "mvex" {
            for extent in cleaner.reader.boxes(in: box).boxes where extent.type == "trex" { try takeDefaults(extent) }
        }
    }

    private func isKept(_ track: Box) -> Bool {
        let handler = cleaner.reader.box(["mdia", "hdlr"], in: track)
            .flatMap { $0.payload.count >= 12 ? cleaner.reader.bytes(at: $0.payload.lowerBound + 8, count: 4) : nil }
        return handler.map { Self.handlers.contains(String(decoding: $0, as: UTF8.self)) } ?? false
    }

    private mutating func take(track: Box, kept: inout KeptRanges) throws(MediaError) {
        try clean(track)
        guard let header = cleaner.reader.boxes(in: track).first("tkhd"),
            let table = cleaner.reader.box(["mdia", "minf", "stbl"], in: track)
        else { throw .noCleanCopy }
        let place = header.payload.lowerBound + (try cleaner.version(header) == 1 ? 20 : 12)
        guard let number: UInt32 = cleaner.reader.bytes(at: place, count: 4)?.integer(at: 0), tracks[number] == nil
        else {
            throw .noCleanCopy
        }
        tracks[number] = 0
        try SampleTables(cleaner, table).insert(into: &kept)
    }

    private mutating func takeDefaults(_ box: Box) throws(MediaError) {
        let payload = try cleaner.payload(box, limit: 256)
        guard let number: UInt32 = payload.integer(at: 4), let size: UInt32 = payload.integer(at: 16) else {
            throw .noCleanCopy
        }
        if tracks[number] != nil { tracks[number] = size }
    }

    // MARK: Boxes that are kept

    private func clean(_ box: Box) throws(MediaError) {
        guard let contents = Self.contents[box.type] else { return try cleanLeaf(box) }
        var met: Set<String> = []
        for inner in try cleaner.boxes(in: box) {
            guard contents.contains(inner.type) else {
                cleaner.drop(inner)
                continue
            }
            guard Self.repeated.contains(inner.type) || met.insert(inner.type).inserted else { throw .noCleanCopy }
            try clean(inner)
        }
    }

    private func cleanLeaf(_ box: Box) throws(MediaError) {
        switch box.type {
        case "tkhd":
            try keep(
                box, short: 84, long: 96,
                clearing: (short: [4..<12, 16..<20, 24..<32, 38..<40], long: [4..<20, 24..<28, 36..<44, 50..<52]))
        case "mdhd":
            try keep(box, short: 24, long: 36, clearing: (short: [4..<12, 22..<24], long: [4..<20, 34..<36]))
        case "hdlr": try keepHandler(box)
        case "stsd": try CleanSampleDescriptions(cleaner, box).clean()
        case "dref": try keepReferences(box)
        case "elst": try cleaner.keepTable(box, entry: try cleaner.version(box) == 1 ? 20 : 12)
        case "mehd": try keep(box, short: 8, long: 12)
        case "cslg": try keep(box, short: 24, long: 44)
        case "vmhd", "clef", "prof", "enof": try cleaner.keep(12, of: box)
        case "smhd": try cleaner.keep(8, of: box)
        case "trex": try cleaner.keep(24, of: box)
        case "stts", "ctts", "co64": try cleaner.keepTable(box, entry: 8)
        case "stss", "stps", "stco": try cleaner.keepTable(box, entry: 4)
        case "stsc": try cleaner.keepTable(box, entry: 12)
        case "stsz": try keepSizes(box)
        // Numbers of tracks.
        case "auxl", "prem", "vdep": try cleaner.keep(UInt64(box.payload.count / 4 * 4), of: box)
        default: throw .noCleanCopy
        }
    }

    private func keepMovieHeader(_ box: Box) throws(MediaError) {
        try keep(
            box, short: 100, long: 112,
            clearing: (short: [4..<12, 26..<36, 72..<96], long: [4..<20, 38..<48, 84..<108]))
    }

    /// A full box whose fields are longer in version 1.
    private func keep(
        _ box: Box, short: UInt64, long: UInt64, clearing: (short: [Range<UInt64>], long: [Range<UInt64>]) = ([], [])
    ) throws(MediaError) {
        let version = try cleaner.version(box)
        guard version <= 1 else { throw .noCleanCopy }
        for range in version == 0 ? clearing.short : clearing.long { try cleaner.clear(range, of: box) }
        try cleaner.keep(version == 0 ? short : long, of: box)
    }

    /// What kind of samples there are, without the name that programs and cameras give it. QuickTime says whose handler it is.
    private func keepHandler(_ box: Box) throws(MediaError) {
        let head = cleaner.reader.bytes(at: box.payload.lowerBound, count: 12)
        guard box.payload.count >= 12, let head else { throw .noCleanCopy }
        if !head.has("mhlr", at: 4), !head.has("dhlr", at: 4) { try cleaner.clear(4..<8, of: box) }
        try cleaner.keep(12, of: box)
    }

    private func keepSizes(_ box: Box) throws(MediaError) {
        guard let head = cleaner.reader.bytes(at: box.payload.lowerBound, count: 12), box.payload.count >= 12,
            let size: UInt32 = head.integer(at: 4)
        else { throw .noCleanCopy }
        if size == 0 { try cleaner.keepTable(box, head: 12, entry: 4) } else { try cleaner.keep(12, of: box) }
    }

    /// Where the samples lie: here. Those of other files would not be in the copy.
    private func keepReferences(_ box: Box) throws(MediaError) {
        for reference in try cleaner.boxes(in: box, skipping: 8) {
            let flags = cleaner.reader.bytes(at: reference.payload.lowerBound, count: 4)
            guard reference.payload.count >= 4, let flags, flags[3] & 1 == 1 else { throw .noCleanCopy }
            try cleaner.keep(4, of: reference)
        }
    }
}
