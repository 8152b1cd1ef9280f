/// Bytes of a HEIF or AVIF file that are given to a library otherwise than they stand in the file, where it refuses a
/// structure that the standard allows.
package struct HEIFPatches: Sendable {
    package private(set) var overwrites = Overwrites()

    /// That describe a picture for the eye of programs, and of which libheif 1.15 takes one target only. Phones since 2024
    /// let a gain map and EXIF belong to the picture and to what is derived from it.
    private static let single: Set<String> = ["auxl", "cdsc", "thmb", "prem"]
    private static let maximumReferenceCount = 4096

    package init(reading source: some ByteSource, type: MediaType) {
        guard [.heic, .heif, .avif].contains(type) else { return }
        patch(BoundedReader(source), type)
        // No two of these places are of one box.
        _ = overwrites.order()
    }

    private mutating func patch(_ reader: BoundedReader, _ type: MediaType) {
        let top = BoxList(reader, until: "meta").boxes
        patchBrand(reader, top, type)
        guard let meta = top.first(where: { $0.type == "meta" }) else { return }
        patchApertures(reader, meta)
        guard let references = reader.boxes(in: meta, skipping: 4).first("iref"),
            let version = reader.bytes(at: references.payload.lowerBound, count: 1)?.first
        else { return }
        for box in reader.boxes(in: references, skipping: 4).boxes.prefix(Self.maximumReferenceCount)
        where Self.single.contains(box.type) {
            let count = reader.bytes(at: box.payload.lowerBound + (version == 0 ? 2 : 4), count: 2)
            guard let count: UInt16 = count?.integer(at: 0), count > 1 else { continue }
            // Another type, which nobody asks for. The type stands right before the payload.
            overwrites.put(Array("xref".utf8), at: box.payload.lowerBound - 4)
        }
    }

    /// A clean aperture of which nothing lies within the picture: libheif calls that damage. Every browser shows all of the
    /// picture then, and so does what says that all of it is clean.
    private mutating func patchApertures(_ reader: BoundedReader, _ meta: Box) {
        let properties = reader.boxes(in: meta, skipping: 4).first("iprp").map { reader.boxes(in: $0) }?.first("ipco")
            .map { reader.boxes(in: $0).boxes.prefix(Self.maximumReferenceCount) }
        guard let properties else { return }
        let sizes = properties.filter { $0.type == "ispe" }.compactMap { box -> (UInt32, UInt32)? in
            guard let payload = reader.payload(box, limit: 64), let width: UInt32 = payload.integer(at: 4),
                let height: UInt32 = payload.integer(at: 8)
            else { return nil }
            return (width, height)
        }
        guard let size = sizes.max(by: { UInt64($0.0) * UInt64($0.1) < UInt64($1.0) * UInt64($1.1) }) else { return }
        for box in properties where box.type == "clap" {
            guard let payload = reader.payload(box, limit: 64), payload.count >= 32 else { continue }
            let isSeen =
                Self.isSeen(payload, at: 0, shift: 16, of: size.0) && Self.isSeen(payload, at: 8, shift: 24, of: size.1)
            guard !isSeen else { continue }
            let whole = [size.0, 1, size.1, 1, 0, 1, 0, 1] as [UInt32]
            let bytes = whole.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
            overwrites.put(bytes, at: box.payload.lowerBound)
        }
    }

    /// Whether some of an aperture lies within a side of the picture: its length, and how far its middle is from that.
    private static func isSeen(_ payload: [UInt8], at place: Int, shift: Int, of side: UInt32) -> Bool {
        let numbers = [place, place + 4, shift, shift + 4].compactMap { payload.integer(UInt32.self, at: $0) }
        guard numbers.count == 4, numbers[0] > 0, numbers[1] > 0, numbers[3] != 0 else { return false }
        let length = Double(numbers[0]) / Double(numbers[1])
        let offset = Double(Int32(bitPattern: numbers[2])) / Double(Int32(bitPattern: numbers[3]))
        let start = offset + (Double(side) - length) / 2
        return length >= 1 && start + length > 0.5 && start < Double(side) - 0.5
    }

    /// What libvips 8.14 opens, by its first brand.
    private static let opened: Set<String> = [
        "heic", "heix", "hevc", "heim", "heis", "hevm", "hevs", "mif1", "msf1", "avif",
    ]

    /// A sequence that has a still picture, too, is opened as that; and what begins with a brand that is new, as what the
    /// others say that it is.
    private mutating func patchBrand(_ reader: BoundedReader, _ top: [Box], _ type: MediaType) {
        guard let first = top.first, first.type == "ftyp", top.contains(where: { $0.type == "meta" }),
            let brand = reader.bytes(at: first.payload.lowerBound, count: 4),
            !Self.opened.contains(String(decoding: brand, as: UTF8.self))
        else { return }
        let known = type == .avif ? "avif" : type == .heic ? "heic" : "mif1"
        overwrites.put(Array(known.utf8), at: first.payload.lowerBound)
    }
}
