/// Bytes of a HEIF or AVIF file that are given to a library otherwise than they stand in the file, where it refuses a
/// structure that the standard allows.
package struct HEIFPatches: Sendable {
    /// By place in the file.
    package private(set) var replaced: [(offset: UInt64, bytes: [UInt8])] = []

    /// That describe a picture for the eye of programs, and of which libheif 1.15 takes one target only. Phones since 2024
    /// let a gain map and EXIF belong to the picture and to what is derived from it.
    private static let single: Set<String> = ["auxl", "cdsc", "thmb", "prem"]
    private static let maximumReferenceCount = 4096

    package init(reading source: some ByteSource, type: MediaType) {
        guard [.heic, .heif, .avif].contains(type) else { return }
        let reader = BoundedReader(source)
        let top = BoxList(reader, until: "meta").boxes
        patchBrand(reader, top, type)
        guard let meta = top.first(where: { $0.type == "meta" }),
            let references = reader.boxes(in: meta, skipping: 4).first("iref"),
            let version = reader.bytes(at: references.payload.lowerBound, count: 1)?.first
        else { return }
        for box in reader.boxes(in: references, skipping: 4).boxes.prefix(Self.maximumReferenceCount)
        where Self.single.contains(box.type) {
            let count = reader.bytes(at: box.payload.lowerBound + (version == 0 ? 2 : 4), count: 2)
            guard let count: UInt16 = count?.integer(at: 0), count > 1 else { continue }
            // Another type, which nobody asks for. The type stands right before the payload.
            replaced.append((box.payload.lowerBound - 4, Array("xref".utf8)))
        }
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
        replaced.append((first.payload.lowerBound, Array(known.utf8)))
    }

    /// What the library gets of the bytes at `offset`.
    package func applied(to bytes: [UInt8], at offset: UInt64) -> [UInt8] {
        var bytes = bytes
        let end = offset + UInt64(bytes.count)
        for (place, new) in replaced where place < end && place + UInt64(new.count) > offset {
            for (index, byte) in new.enumerated() {
                let position = place + UInt64(index)
                if position >= offset, position < end { bytes[Int(position - offset)] = byte }
            }
        }
        return bytes
    }
}
