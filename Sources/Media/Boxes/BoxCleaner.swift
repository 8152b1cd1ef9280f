/// Takes from the boxes of a file what a clean copy is not to have. Boxes keep their places and lengths: one that is left out
/// becomes a `free` of zeros.
final class BoxCleaner {
    /// Boxes that lie side by side in one.
    private static let mostBoxes = 4096

    let reader: BoundedReader
    private(set) var overwrites = Overwrites()

    init(_ reader: BoundedReader) { self.reader = reader }

    /// The boxes in a range. What stands behind the last of them is overwritten, and becomes one where it is long enough.
    /// - Throws: `noCleanCopy` for more than `count`.
    func boxes(in range: Range<UInt64>, atMost count: Int = mostBoxes) throws(MediaError) -> [Box] {
        let boxes = BoxList(reader, in: range, atMost: count).boxes
        guard boxes.count < count else { throw .noCleanCopy }
        let end = boxes.last?.payload.upperBound ?? range.lowerBound
        guard range.upperBound - end >= 8 else {
            overwrites.clear(end..<range.upperBound)
            return boxes
        }
        // A size of zero stands for all that follows.
        let size = UInt32(exactly: range.upperBound - end) ?? 0
        put((0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array("free".utf8), at: end)
        overwrites.clear(end + 8..<range.upperBound)
        return boxes
    }

    func boxes(in box: Box, skipping: UInt64 = 0) throws(MediaError) -> [Box] {
        guard skipping <= UInt64(box.payload.count) else { throw .noCleanCopy }
        return try boxes(in: box.payload.lowerBound + skipping..<box.payload.upperBound)
    }

    /// - Throws: `noCleanCopy` for more than `limit`, and where nothing more may be read.
    func payload(_ box: Box, limit: Int = 1 << 20) throws(MediaError) -> [UInt8] {
        guard let payload = reader.payload(box, limit: limit) else { throw .noCleanCopy }
        return payload
    }

    func drop(_ box: Box) {
        put(Array("free".utf8), at: box.start + 4)
        overwrites.clear(box.payload)
    }

    /// Keeps the beginning of a box.
    /// - Throws: `noCleanCopy` where it is shorter than that.
    func keep(_ count: UInt64, of box: Box) throws(MediaError) {
        guard count <= UInt64(box.payload.count) else { throw .noCleanCopy }
        overwrites.clear(box.payload.lowerBound + count..<box.payload.upperBound)
    }

    /// Keeps a table, which says how many entries it has right in front of them.
    /// - Parameters:
    ///   - head: bytes in front of the first entry
    ///   - width: bytes of the number of entries
    func keepTable(_ box: Box, head: UInt64 = 8, width: UInt64 = 4, entry: UInt64) throws(MediaError) {
        guard head <= UInt64(box.payload.count),
            let count = reader.bytes(at: box.payload.lowerBound + head - width, count: Int(width))
        else { throw .noCleanCopy }
        try keep(head + count.reduce(0) { $0 << 8 | UInt64($1) } * entry, of: box)
    }

    /// `sidx`, by which players find fragments.
    func keepIndex(_ box: Box) throws(MediaError) {
        try keepTable(box, head: try version(box) == 0 ? 24 : 32, width: 2, entry: 12)
    }

    /// - Parameter range: counts from where the content of the box begins.
    func clear(_ range: Range<UInt64>, of box: Box) throws(MediaError) {
        guard range.upperBound <= UInt64(box.payload.count) else { throw .noCleanCopy }
        clear(box.payload.lowerBound + range.lowerBound..<box.payload.lowerBound + range.upperBound)
    }

    func clear(_ range: Range<UInt64>) { overwrites.clear(range) }

    func put(_ bytes: [UInt8], at place: UInt64) { overwrites.put(bytes, at: place) }

    /// The version of a full box, which is the first thing in it.
    func version(_ box: Box) throws(MediaError) -> Int {
        guard !box.payload.isEmpty, let first = reader.bytes(at: box.payload.lowerBound, count: 1)?.first else {
            throw .noCleanCopy
        }
        return Int(first)
    }

    /// `ftyp` and `styp`: brands that say how to read the file stay, those of makers become `other`.
    func keepBrands(_ box: Box, other: String) throws(MediaError) {
        let brands = try payload(box, limit: 1024)
        guard brands.count >= 8 else { throw .noCleanCopy }
        for place in stride(from: 0, to: brands.count - 3, by: 4) where place != 4 {
            let brand = String(decoding: brands[place..<place + 4], as: UTF8.self)
            if !Self.brands.contains(brand) { put(Array(other.utf8), at: box.payload.lowerBound + UInt64(place)) }
        }
        try clear(4..<8, of: box)
        try keep(UInt64(brands.count / 4 * 4), of: box)
    }

    private static let brands: Set<String> = [
        "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "isoa", "isob", "isoc", "mp41", "mp42",
        "avc1",
        "hvc1", "hev1", "av01", "dash", "msdh", "msix", "cmfc", "cmf2", "qt  ", "M4V ", "M4A ", "M4VH", "M4VP", "3gp4",
        "3gp5",
        "3gp6", "3gp7", "3gp8", "3gp9", "3g2a", "3g2b", "3g2c", "dby1", "mif1", "mif2", "mif3", "msf1", "miaf", "heic",
        "heix",
        "heim", "heis", "hevc", "hevx", "hevm", "hevs", "avif", "avis", "avio", "avci", "MA1A", "MA1B", "MiHA", "MiHB",
        "MiHE",
        "MiPr", "tmap", "1pic", "unif",
    ]
}

/// The top level of an ISO base media file (ISO 14496-12): which boxes a clean copy has, and what of the samples.
struct CleanBoxes {
    /// Those of which readers make something. What begins like one and does not fit into the file is a file that was cut off.
    private static let known: Set<String> = ["ftyp", "moov", "mdat", "meta", "moof", "styp"]
    /// A film in fragments has some for each second.
    private static let mostBoxes = 1 << 16

    let cleaner: BoxCleaner
    let boxes: [Box]
    /// Where samples and pictures may lie.
    var places: [Range<UInt64>] = []
    /// Where those lie that are kept.
    var kept = KeptRanges()

    init(_ reader: BoundedReader) throws(MediaError) {
        cleaner = BoxCleaner(reader)
        boxes = try cleaner.boxes(in: 0..<reader.byteCount, atMost: Self.mostBoxes)
        let end = boxes.last?.payload.upperBound ?? 0
        if let head = reader.bytes(at: end, count: 8) {
            guard !Self.known.contains(String(decoding: head[4...], as: UTF8.self)) else { throw .noCleanCopy }
        }
        places = boxes.filter { $0.type == "mdat" }.map(\.payload)
    }

    /// What of the samples is not kept is overwritten.
    /// - Parameters:
    ///   - dropped: where something lies that has to go; nothing of it may belong to what is kept
    ///   - put: writes what stands in place of some of that
    /// - Throws: `noCleanCopy` where something is kept that lies beside the places for it.
    mutating func finish(
        dropping dropped: [Range<UInt64>] = [], _ put: (inout KeptRanges) throws(MediaError) -> Void = { _ in }
    ) throws(MediaError) -> Overwrites {
        var gone = KeptRanges()
        for range in dropped { try gone.insert(at: range.lowerBound, count: UInt64(range.count)) }
        let pictures = kept.merged
        guard !pictures.isEmpty, !Self.overlap(pictures, gone.merged) else { throw .noCleanCopy }
        try put(&kept)
        let kept = kept.merged
        var index = 0
        for place in places.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            var end = place.lowerBound
            while index < kept.count, kept[index].lowerBound < place.upperBound {
                guard kept[index].lowerBound >= end, kept[index].upperBound <= place.upperBound else {
                    throw .noCleanCopy
                }
                cleaner.clear(end..<kept[index].lowerBound)
                end = kept[index].upperBound
                index += 1
            }
            cleaner.clear(end..<place.upperBound)
        }
        guard index == kept.count else { throw .noCleanCopy }
        var overwrites = cleaner.overwrites
        guard overwrites.order() else { throw .noCleanCopy }
        return overwrites
    }

    /// Both in order.
    private static func overlap(_ some: [Range<UInt64>], _ others: [Range<UInt64>]) -> Bool {
        var index = 0
        for range in others {
            while index < some.count, some[index].upperBound <= range.lowerBound { index += 1 }
            if index < some.count, some[index].lowerBound < range.upperBound { return true }
        }
        return false
    }
}
