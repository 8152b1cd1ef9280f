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
