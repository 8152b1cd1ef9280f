/// HEIF and AVIF (ISO 23008-12): items, their places in the file and their properties, told by the `meta` box.
struct HEIFFile {
    private static let maximumMetaByteCount = 4 << 20
    private static let maximumItemByteCount = 4 << 20

    private let reader: BoundedReader
    private let meta: BoxList
    private let items: HEIFItems

    init?(_ reader: BoundedReader) {
        guard let box = BoxList(reader, until: "meta").first("meta") else { return nil }
        self.reader = reader
        // A full box: version and flags come first.
        meta = reader.boxes(in: box, skipping: 4)
        items = HEIFItems(
            infos: meta.first("iinf").flatMap { reader.payload($0, limit: Self.maximumMetaByteCount) } ?? [],
            locations: meta.first("iloc").flatMap { reader.payload($0, limit: Self.maximumMetaByteCount) } ?? [])
    }

    var facts: PictureFacts {
        var facts = PictureFacts()
        let properties = primaryItem.map(properties)
        facts.size = properties?.seenSize
        facts.isAnimated = isSequence
        facts.containerOrientation = properties?.orientation ?? Orientation()
        facts.exif = items.exif.flatMap(content).flatMap(Self.withoutHeader)
        facts.xmp = items.xmp.flatMap(content)
        return facts
    }

    /// A moving AVIF, which every browser shows.
    private var isSequence: Bool { reader.bytes(at: 8, count: 4)?.has("avis") ?? false }

    /// What the samples of the picture mean, where no profile says it.
    var colours: ColourDescription? { primaryItem.map(properties)?.colours }

    /// VVC, EVC, AV2, JPEG 2000, AVC, JPEG, layers and tiles of HEVC by themselves, and no coding at all.
    private static let foreignCodings: Set<String> = [
        "vvc1", "evc1", "av02", "j2k1", "avc1", "jpeg", "lhv1", "hvt1", "unci",
    ]
    private static let derivations: Set<String> = ["grid", "iovl", "iden", "tmap"]

    /// False for a picture in a coding that is not decoded here. Of one that is put together from others that is so where
    /// none of them is in another one.
    var isOfKnownCoding: Bool {
        guard let primary = primaryItem.flatMap({ items.types[$0] }) else { return true }
        guard Self.derivations.contains(primary) else { return !Self.foreignCodings.contains(primary) }
        let others = Set(items.types.values)
        return !others.isDisjoint(with: ["hvc1", "av01"]) || others.isDisjoint(with: Self.foreignCodings)
    }

    private var primaryItem: UInt32? {
        guard let payload = meta.first("pitm").flatMap({ reader.payload($0, limit: 64) }) else { return nil }
        return payload.first == 0
            ? payload.integer(UInt16.self, at: 4).map(UInt32.init) : payload.integer(UInt32.self, at: 4)
    }

    private func properties(of item: UInt32) -> HEIFProperties {
        guard let container = meta.first("iprp") else { return HEIFProperties() }
        let boxes = reader.boxes(in: container)
        let shared = boxes.first("ipco").map { reader.boxes(in: $0).boxes } ?? []
        let associations = boxes.boxes.filter { $0.type == "ipma" }.prefix(8)
        let indices =
            associations.lazy.compactMap { reader.payload($0, limit: Self.maximumMetaByteCount) }
            .compactMap { HEIFProperties.indices(of: item, in: $0) }.first ?? []
        var properties = HEIFProperties()
        for index in indices where index >= 1 && index <= shared.count {
            let box = shared[index - 1]
            guard let payload = reader.payload(box, limit: 256) else { continue }
            properties.take(box.type, payload)
        }
        return properties
    }

    /// The bytes of an item: from the file or from the `idat` box. Items made from other items are none of ours.
    private func content(of item: UInt32) -> [UInt8]? {
        guard let location = items.locations[item] else { return nil }
        let data = meta.first("idat")?.payload
        var content: [UInt8] = []
        for extent in location.extents {
            let (sum, overflow) = location.base.addingReportingOverflow(extent.offset)
            guard !overflow, let start = start(of: sum, method: location.method, data: data),
                extent.length <= UInt64(Self.maximumItemByteCount - content.count),
                let piece = reader.bytes(at: start, count: Int(extent.length))
            else { return nil }
            content += piece
        }
        return content
    }

    private func start(of offset: UInt64, method: UInt8, data: Range<UInt64>?) -> UInt64? {
        switch method {
        case 0: offset
        case 1: data.flatMap { offset <= $0.upperBound - $0.lowerBound ? $0.lowerBound + offset : nil }
        default: nil
        }
    }

    /// An Exif item begins with the number of bytes to skip until the TIFF header.
    static func withoutHeader(_ item: [UInt8]) -> [UInt8]? {
        guard let skipped = item.integer(UInt32.self, at: 0), UInt64(skipped) + 4 <= UInt64(item.count) else {
            return nil
        }
        return JPEGHeader.withoutIntroduction([UInt8](item.dropFirst(4 + Int(skipped))))
    }
}

extension MediaType {
    /// False for a picture in HEIF that no decoder here knows, so that what one says of it is no damage.
    package func isOfKnownCoding(_ source: some ByteSource) -> Bool {
        guard [.heic, .heif, .avif].contains(self), let file = HEIFFile(BoundedReader(source)) else { return true }
        return file.isOfKnownCoding
    }
}

extension ColourDescription {
    /// What HEIF and AVIF say of their picture; nil where they say nothing, or are something else.
    package init?(reading source: some ByteSource, type: MediaType) {
        guard [.heic, .heif, .avif].contains(type), let found = HEIFFile(BoundedReader(source))?.colours else {
            return nil
        }
        self = found
    }
}

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
        /// False for one that lies in another file.
        let isHere: Bool
        /// False where there are more extents than were asked for: then none is told.
        let isWhole: Bool
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

/// The `iloc` box: fields whose widths the box states itself.
struct HEIFLocationTable {
    let itemCount: Int
    private let payload: [UInt8]
    private let version: UInt8
    private let offsetSize: Int
    private let lengthSize: Int
    private let baseSize: Int
    private let indexSize: Int
    private var position: Int
    /// Bytes of the table up to where it was read.
    var byteCount: Int { position }

    init?(_ payload: [UInt8]) {
        guard let version = payload.first, version <= 2, let sizes: UInt16 = payload.integer(at: 4) else { return nil }
        self.payload = payload
        self.version = version
        offsetSize = Int(sizes >> 12)
        lengthSize = Int(sizes >> 8 & 15)
        baseSize = Int(sizes >> 4 & 15)
        indexSize = version == 0 ? 0 : Int(sizes & 15)
        let count =
            version < 2
            ? payload.integer(UInt16.self, at: 6).map(Int.init) : payload.integer(UInt32.self, at: 6).map(Int.init)
        // An extent of no bytes at all would make a short box stand for endless work.
        guard let count, offsetSize + lengthSize > 0,
            [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ [0, 4, 8].contains($0) })
        else {
            return nil
        }
        itemCount = count
        position = version < 2 ? 8 : 10
    }

    /// The next item; nil where the table ends. Nothing of an item with more extents is kept but its number.
    mutating func next(maximumExtentCount: Int) -> (UInt32, HEIFItems.Location)? {
        guard let id = number(bytes: version < 2 ? 2 : 4), let method = version == 0 ? 0 : number(bytes: 2),
            let file = number(bytes: 2), let base = number(bytes: baseSize), let count = number(bytes: 2)
        else { return nil }
        var extents: [HEIFItems.Extent] = []
        for _ in 0..<count {
            guard number(bytes: indexSize) != nil, let offset = number(bytes: offsetSize),
                let length = number(bytes: lengthSize)
            else { return nil }
            if extents.count < maximumExtentCount { extents.append(.init(offset: offset, length: length)) }
        }
        let isWhole = count <= maximumExtentCount
        let kept = HEIFItems.Location(
            method: UInt8(method & 15), base: base, extents: isWhole ? extents : [], isHere: file == 0, isWhole: isWhole
        )
        return (UInt32(truncatingIfNeeded: id), kept)
    }

    /// A field of 0, 2, 4 or 8 bytes.
    private mutating func number(bytes: Int) -> UInt64? {
        guard let field = payload.bytes(at: position, count: bytes) else { return nil }
        position += bytes
        return field.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// What the property boxes of one item say, in the order in which they are to be applied.
struct HEIFProperties {
    private var size: PictureSize?
    private(set) var orientation = Orientation()
    private(set) var colours: ColourDescription?

    /// Cropped, but not yet turned.
    var seenSize: PictureSize? { size }

    mutating func take(_ type: String, _ payload: [UInt8]) {
        switch type {
        case "ispe":
            guard let width: UInt32 = payload.integer(at: 4), let height: UInt32 = payload.integer(at: 8) else {
                return
            }
            size = PictureSize(width: width, height: height)
        case "clap": crop(payload)
        case "colr" where payload.has("nclx"):
            guard let primaries: UInt16 = payload.integer(at: 4), let transfer: UInt16 = payload.integer(at: 6) else {
                return
            }
            colours = ColourDescription(primaries: Int(primaries), transfer: Int(transfer))
        case "irot": orientation.turn(quarters: -Int((payload.first ?? 0) & 3))
        // 1 exchanges left and right, 0 top and bottom (ISO 23008-12, amended: the first edition was read both ways).
        case "imir": (payload.first ?? 0) & 1 == 1 ? orientation.mirror() : orientation.flip()
        default: break
        }
    }

    /// The clean aperture: width and height as quotients. One larger than the picture is damage and ignored.
    private mutating func crop(_ payload: [UInt8]) {
        let numbers = (0..<4).compactMap { payload.integer(UInt32.self, at: $0 * 4) }
        guard let size, numbers.count == 4, numbers[1] > 0, numbers[3] > 0 else { return }
        let cropped = PictureSize(width: numbers[0] / numbers[1], height: numbers[2] / numbers[3])
        guard let cropped, cropped.width <= size.width, cropped.height <= size.height else { return }
        self.size = cropped
    }

    /// One-based places in `ipco` of the properties of `item`, from the payload of an `ipma` box; nil if it is not there.
    static func indices(of item: UInt32, in payload: [UInt8]) -> [Int]? {
        var found: [Int]?
        _ = associations(in: payload) { id, places in
            if id == item { found = places() }
            return found == nil
        }
        return found
    }

    /// Where an `ipma` box has said all; nil where it breaks off before.
    static func end(ofAssociations payload: [UInt8]) -> Int? { associations(in: payload) { _, _ in true } }

    /// - Parameter take: gets an item and how to find the places of its properties; false ends the walk.
    /// - Returns: where the walk ended; nil where the box breaks off.
    private static func associations(in payload: [UInt8], take: (UInt32, () -> [Int]) -> Bool) -> Int? {
        guard let head: UInt32 = payload.integer(at: 0), let count: UInt32 = payload.integer(at: 4) else { return nil }
        let (isLong, isWide) = (head >> 24 >= 1, head & 1 == 1)
        var position = 8
        for _ in 0..<min(count, 65_536) {
            let id =
                isLong
                ? payload.integer(UInt32.self, at: position)
                : payload.integer(UInt16.self, at: position).map(UInt32.init)
            position += isLong ? 4 : 2
            guard let id, let number: UInt8 = payload.integer(at: position) else { return nil }
            position += 1
            let size = isWide ? 2 : 1
            guard let list = payload.bytes(at: position, count: Int(number) * size) else { return nil }
            position += list.count
            guard take(id, { places(list, isWide: isWide) }) else { return position }
        }
        return position
    }

    /// The highest bit of a place says that the property is essential.
    private static func places(_ list: [UInt8], isWide: Bool) -> [Int] {
        guard isWide else { return list.map { Int($0 & 0x7F) } }
        return stride(from: 0, to: list.count - 1, by: 2).map { Int(list[$0] & 0x7F) << 8 | Int(list[$0 + 1]) }
    }
}
