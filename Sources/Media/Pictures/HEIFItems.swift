/// Which items a HEIF file has that tell facts, and where their bytes lie.
struct HEIFItems {
    struct Extent {
        let offset: UInt64
        let length: UInt64
    }

    struct Location {
        /// 0: offsets count in the file, 1: in the `idat` box, 2: in another item.
        let method: UInt8
        let base: UInt64
        let extents: [Extent]
    }

    private static let maximumCount = 4096
    private static let maximumExtentCount = 64

    /// How each item is coded, or what it is.
    private(set) var types: [UInt32: String] = [:]
    private(set) var exif: UInt32?
    private(set) var xmp: UInt32?
    /// Where the items lie that tell facts.
    private(set) var locations: [UInt32: Location] = [:]

    /// Payloads of the boxes `iinf` and `iloc`.
    init(infos: [UInt8], locations: [UInt8]) {
        takeInfos(infos)
        takeLocations(locations)
    }

    private mutating func takeInfos(_ payload: [UInt8]) {
        guard let version = payload.first else { return }
        var position = version == 0 ? 6 : 8
        for _ in 0..<Self.maximumCount {
            guard let size: UInt32 = payload.integer(at: position), size >= 12,
                let entry = payload.bytes(at: position, count: Int(size))
            else { return }
            if entry.has("infe", at: 4) { takeInfo(entry) }
            position += entry.count
        }
    }

    private mutating func takeInfo(_ entry: [UInt8]) {
        let version = entry[8]
        guard version >= 2 else { return }
        let isShort = version == 2
        let id = isShort ? entry.integer(UInt16.self, at: 12).map(UInt32.init) : entry.integer(UInt32.self, at: 12)
        // After the number: protection (2), then the type.
        let type = isShort ? 16 : 18
        if let id, let name = entry.bytes(at: type, count: 4) { types[id] = String(decoding: name, as: UTF8.self) }
        if entry.has("Exif", at: type), exif == nil { exif = id }
        guard entry.has("mime", at: type), xmp == nil,
            let rest = entry.bytes(at: type + 4, count: entry.count - type - 4)
        else { return }
        // The item's name, then its content type.
        let strings = rest.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        if strings.count > 1, [UInt8](strings[1]).has("application/rdf+xml") { xmp = id }
    }

    private mutating func takeLocations(_ payload: [UInt8]) {
        guard var table = HEIFLocationTable(payload) else { return }
        for _ in 0..<min(table.itemCount, Self.maximumCount) {
            guard let (id, location) = table.next(maximumExtentCount: Self.maximumExtentCount) else { return }
            if id == exif || id == xmp { locations[id] = location }
        }
    }
}
