/// What of the `meta` box of HEIF and AVIF (ISO 23008-12) a clean copy keeps: items that are pictures, with the properties that
/// decoders need, and how they belong together. EXIF becomes a block of its own with the orientation; of every other item
/// nothing stays but that there is one.
struct CleanHEIF {
    /// Coded pictures, and what puts them together.
    private static let pictures: Set<String> = ["hvc1", "hvt1", "lhv1", "av01", "vvc1", "grid", "iovl", "iden", "tmap"]
    private static let references: Set<String> = [
        "dimg", "thmb", "auxl", "cdsc", "prem", "base", "tbas", "dpnd", "exbl", "xref",
    ]
    private static let groups: Set<String> = ["altr", "ster"]
    private static let mostItems = 16_384
    private static let mostExtents = 4096
    private static let mostBytes = 4 << 20

    private struct Item {
        let isPicture: Bool
        let isExif: Bool
    }

    private let cleaner: BoxCleaner
    private let reader: BoundedReader
    private var items: [UInt32: Item] = [:]
    /// The `idat` box, in which small items lie.
    private(set) var data: Range<UInt64>?
    /// Where items lie that go.
    private(set) var dropped: [Range<UInt64>] = []
    private var exifBlocks: [(place: UInt64, bytes: [UInt8])] = []

    /// - Throws: `noCleanCopy` for a picture whose items cannot be told apart.
    init(_ cleaner: BoxCleaner, _ meta: Box, kept: inout KeptRanges) throws(MediaError) {
        self.cleaner = cleaner
        reader = cleaner.reader
        let boxes = try cleaner.boxes(in: meta, skipping: 4)
        var byType: [String: Box] = [:]
        for box in boxes {
            guard byType.updateValue(box, forKey: box.type) == nil || box.type == "free" else { throw .noCleanCopy }
        }
        data = byType["idat"]?.payload
        guard let infos = byType["iinf"], let locations = byType["iloc"], let primary = byType["pitm"] else {
            throw .noCleanCopy
        }
        try keepInfos(infos)
        try keepLocations(locations, &kept)
        try keepPrimary(primary)
        for box in boxes {
            switch box.type {
            case "iinf", "iloc", "pitm", "idat": break
            case "hdlr":
                try cleaner.clear(4..<8, of: box)
                try cleaner.keep(12, of: box)
            case "iref": try keepReferences(box)
            case "iprp": try keepProperties(box)
            case "grpl": try keepGroups(box)
            default: cleaner.drop(box)
            }
        }
    }

    /// Writes what stands in place of EXIF; to be called when nothing that goes is found to be of a picture.
    func putExif(into kept: inout KeptRanges) throws(MediaError) {
        for (place, bytes) in exifBlocks {
            cleaner.put(bytes, at: place)
            try kept.insert(at: place, count: UInt64(bytes.count))
        }
    }

    private func keepPrimary(_ box: Box) throws(MediaError) {
        let payload = try cleaner.payload(box, limit: 64)
        let isShort = payload.first == 0
        let id = isShort ? payload.integer(UInt16.self, at: 4).map(UInt32.init) : payload.integer(UInt32.self, at: 4)
        guard let id, items[id]?.isPicture == true else { throw .noCleanCopy }
        try cleaner.keep(isShort ? 6 : 8, of: box)
    }

    // MARK: Items

    private mutating func keepInfos(_ box: Box) throws(MediaError) {
        let isShort = try cleaner.version(box) == 0
        let count = cleaner.reader.bytes(at: box.payload.lowerBound, count: 8)
        let stated = isShort ? count?.integer(UInt16.self, at: 4).map(UInt32.init) : count?.integer(UInt32.self, at: 4)
        guard let stated, stated <= Self.mostItems, box.payload.count >= 8 else { throw .noCleanCopy }
        let start = box.payload.lowerBound + (isShort ? 6 : 8)
        let entries = try cleaner.boxes(in: start..<box.payload.upperBound, atMost: Self.mostItems + 1)
        for entry in entries { try keepInfo(entry) }
    }

    /// Its name, and behind it the content type of a text or the address of what it means, are empty.
    private mutating func keepInfo(_ entry: Box) throws(MediaError) {
        guard entry.type == "infe" else { return cleaner.drop(entry) }
        let version = try cleaner.version(entry)
        guard (2...3).contains(version) else { return try cleaner.keep(min(8, UInt64(entry.payload.count)), of: entry) }
        // Number, protection, type.
        let typePlace = version == 2 ? 8 : 10
        let head = reader.bytes(at: entry.payload.lowerBound, count: typePlace + 4)
        guard entry.payload.count >= typePlace + 4, let head else { throw .noCleanCopy }
        let id = version == 2 ? head.integer(UInt16.self, at: 4).map(UInt32.init) : head.integer(UInt32.self, at: 4)
        guard let id, items[id] == nil else { throw .noCleanCopy }
        let type = String(decoding: head[typePlace...], as: UTF8.self)
        items[id] = Item(isPicture: Self.pictures.contains(type), isExif: type == "Exif")
        try cleaner.keep(UInt64(typePlace + 4), of: entry)
    }

    private mutating func keepLocations(_ box: Box, _ kept: inout KeptRanges) throws(MediaError) {
        guard var table = HEIFLocationTable(try cleaner.payload(box, limit: Self.mostBytes)),
            table.itemCount <= Self.mostItems
        else { throw .noCleanCopy }
        let block = HEIFFile(reader)?.facts.exif.flatMap(CleanExif.block) ?? CleanExif.block(orientation: 1)
        for _ in 0..<table.itemCount {
            guard let (id, location) = table.next(maximumExtentCount: Self.mostExtents) else { throw .noCleanCopy }
            let item = items[id]
            guard item?.isPicture == true else {
                // What lies elsewhere, or where nobody can say, is not kept, and need not be found.
                let places = (try? extents(of: location)) ?? []
                dropped += places
                // In front of the header stands how far it is to it.
                if item?.isExif == true, let first = places.first, first.count >= 4 + block.count {
                    exifBlocks.append((first.lowerBound, [0, 0, 0, 0] + block))
                }
                continue
            }
            for extent in try extents(of: location) {
                try kept.insert(at: extent.lowerBound, count: UInt64(extent.count))
            }
        }
        try cleaner.keep(UInt64(table.byteCount), of: box)
    }

    /// - Throws: `noCleanCopy` for what lies in another file or item, and for an extent that means "all of the file".
    private func extents(of location: HEIFItems.Location) throws(MediaError) -> [Range<UInt64>] {
        guard location.isHere, location.isWhole else { throw .noCleanCopy }
        var extents: [Range<UInt64>] = []
        for extent in location.extents {
            let (sum, overflow) = location.base.addingReportingOverflow(extent.offset)
            let region = location.method == 0 ? 0..<reader.byteCount : location.method == 1 ? data : nil
            guard !overflow, extent.length > 0, let region, sum <= UInt64(region.count),
                extent.length <= UInt64(region.count) - sum
            else { throw .noCleanCopy }
            extents.append(region.lowerBound + sum..<region.lowerBound + sum + extent.length)
        }
        return extents
    }

    // MARK: How they belong together

    private func keepReferences(_ box: Box) throws(MediaError) {
        let width = try cleaner.version(box) == 0 ? 2 : 4
        for reference in try cleaner.boxes(in: box, skipping: 4) {
            if !Self.references.contains(reference.type) { cleaner.put(Array("xref".utf8), at: reference.start + 4) }
            try cleaner.keepTable(reference, head: UInt64(width + 2), width: 2, entry: UInt64(width))
        }
    }

    private func keepGroups(_ box: Box) throws(MediaError) {
        for group in try cleaner.boxes(in: box) {
            if Self.groups.contains(group.type) {
                try cleaner.keepTable(group, head: 12, entry: 4)
            } else {
                cleaner.drop(group)
            }
        }
    }

    // MARK: Properties

    /// By type: bytes that are kept, zero for all of them.
    private static let properties: [String: UInt64] = [
        "ispe": 12, "irot": 1, "imir": 1, "clap": 32, "pasp": 8, "clli": 4, "mdcv": 24, "amve": 8, "lsel": 2, "a1op": 1,
        "tols": 6, "rloc": 12, "iscl": 12, "pixi": 0, "colr": 0, "auxC": 0, "hvcC": 0, "lhvC": 0, "vvcC": 0, "av1C": 0,
        "a1lx": 0,
    ]
    private static let longestProperty = 4096
    /// Names of auxiliary pictures: transparency and depth, and what phones add.
    private static let auxiliary = [
        "urn:mpeg:mpegB:cicp:systems:auxiliary:", "urn:mpeg:hevc:2015:auxid:", "urn:com:apple:photo:20",
        "urn:com:photo:aux:", "urn:iso:std:iso:ts:21496",
    ]
    private static let longestName = 96

    private func keepProperties(_ box: Box) throws(MediaError) {
        for inner in try cleaner.boxes(in: box) {
            switch inner.type {
            case "ipco":
                for property in try cleaner.boxes(in: inner) { try keep(property: property) }
            case "ipma": try keepAssociations(inner)
            default: cleaner.drop(inner)
            }
        }
    }

    /// A property that goes keeps its place: items name theirs by number.
    private func keep(property: Box) throws(MediaError) {
        guard let count = Self.properties[property.type] else { return cleaner.drop(property) }
        switch property.type {
        case _ where count > 0: try cleaner.keep(count, of: property)
        case "colr": try keepColours(property)
        case "pixi": try cleaner.keepTable(property, head: 5, width: 1, entry: 1)
        case "auxC":
            // What a picture is beside another one. What may follow the name describes depths.
            let payload = try cleaner.payload(property, limit: Self.longestProperty)
            let name = payload.dropFirst(4).prefix { $0 != 0 }
            let text = String(decoding: name, as: UTF8.self)
            guard Self.auxiliary.contains(where: text.hasPrefix), name.count <= Self.longestName else {
                return cleaner.drop(property)
            }
            try cleaner.keep(min(UInt64(payload.count), 4 + UInt64(name.count) + 1), of: property)
        default:
            guard property.payload.count <= Self.longestProperty else { throw .noCleanCopy }
        }
    }

    private func keepColours(_ box: Box) throws(MediaError) {
        guard let kind = reader.bytes(at: box.payload.lowerBound, count: 4), box.payload.count >= 4 else {
            throw .noCleanCopy
        }
        switch String(decoding: kind, as: UTF8.self) {
        case "nclx": try cleaner.keep(11, of: box)
        case "prof", "rICC": break
        default: cleaner.drop(box)
        }
    }

    private func keepAssociations(_ box: Box) throws(MediaError) {
        let payload = try cleaner.payload(box, limit: Self.mostBytes)
        guard let end = HEIFProperties.end(ofAssociations: payload) else { throw .noCleanCopy }
        try cleaner.keep(UInt64(end), of: box)
    }
}
