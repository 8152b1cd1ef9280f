/// The seconds of video that phones put behind a photo, in its own file: where they lie.
///
/// Google's Motion Photo says in XMP how long each part of the file is (`Container:Directory`), an older one how far
/// before the end the video begins (`MicroVideoOffset`); in HEIF it stands in a box `mpvd`. Samsung writes a directory at
/// the end of the file (SEF). Whatever they say, only an MP4 counts that begins there.
struct MotionVideo {
    private let reader: BoundedReader

    init(_ reader: BoundedReader) { self.reader = reader }

    /// The end of the file is read only where something speaks for a video, or programs have taken the maker's name away: of
    /// most photos the beginning tells all.
    func range(xmp: XMPPacket?, make: String?) -> Range<UInt64>? {
        let mayBeSamsung = make?.lowercased().hasPrefix("samsung") ?? true
        guard mayBeSamsung || xmp?.isMotionPhoto ?? false else { return nil }
        let starts = [xmp.flatMap(startByContainer), xmp.flatMap(startByOffset), startByTrailer, startByBox]
        return starts.lazy.compactMap(\.self).compactMap(movie).first
    }

    /// Parts follow each other up to the end of the file.
    private func startByContainer(_ xmp: XMPPacket) -> UInt64? {
        let items = xmp.containerItems
        guard let index = items.lastIndex(where: { $0.semantic == "MotionPhoto" }) else { return nil }
        let behind = items[index...].reduce(0 as UInt64) { $0 &+ min($1.byteCount, reader.byteCount) }
        return start(bytesBeforeEnd: behind)
    }

    private func startByOffset(_ xmp: XMPPacket) -> UInt64? {
        xmp.microVideoOffset.flatMap { start(bytesBeforeEnd: $0) }
    }

    private func start(bytesBeforeEnd count: UInt64) -> UInt64? {
        count > 0 && count < reader.byteCount ? reader.byteCount - count : nil
    }

    private var startByBox: UInt64? {
        guard reader.bytes(at: 4, count: 4)?.has("ftyp") ?? false else { return nil }
        return BoxList(reader, until: "mpvd").first("mpvd")?.payload.lowerBound
    }

    /// From the first box on, as far as the boxes of a movie go: behind them may stand what is none.
    private func movie(from start: UInt64) -> Range<UInt64>? {
        let parts: Set<String> = [
            "ftyp", "moov", "mdat", "free", "skip", "wide", "uuid", "meta", "moof", "mfra", "sidx",
        ]
        guard start <= reader.byteCount else { return nil }
        let boxes = BoxList(reader, in: start..<reader.byteCount, atMost: 64).boxes.prefix { parts.contains($0.type) }
        guard boxes.first?.type == "ftyp", let movie = boxes.first(where: { $0.type == "moov" }), let last = boxes.last,
            boxes.contains(where: { ["mdat", "moof"].contains($0.type) && !$0.payload.isEmpty }), hasPictures(movie)
        else { return nil }
        return start..<last.payload.upperBound
    }

    /// Of a video that was cut out, or came to an end with its first bytes, a frame of empty boxes may be left.
    private func hasPictures(_ movie: Box) -> Bool {
        reader.boxes(in: movie).boxes.prefix(16).contains {
            $0.type == "trak" && QuickTimeTrack(reader, $0)?.isVideo ?? false
        }
    }
}

extension MotionVideo {
    private static let trailerType: UInt16 = 0x0A30
    private static let mostEntries = 64

    /// "SEFT" ends the file; before it stands how long the directory "SEFH" is. Its entries count from its own beginning
    /// backwards; each part begins with its type and its name.
    private var startByTrailer: UInt64? {
        guard reader.byteCount > 32, let end = reader.bytes(at: reader.byteCount - 8, count: 8), end.has("SEFT", at: 4),
            let length: UInt32 = end.integer(at: 0, isLittleEndian: true), length >= 12,
            UInt64(length) + 8 < reader.byteCount
        else { return nil }
        let directory = reader.byteCount - 8 - UInt64(length)
        guard let head = reader.bytes(at: directory, count: 12), head.has("SEFH"),
            let count: UInt32 = head.integer(at: 8, isLittleEndian: true), count <= Self.mostEntries,
            let entries = reader.bytes(at: directory + 12, count: Int(count) * 12)
        else { return nil }
        for entry in stride(from: 0, to: entries.count, by: 12) {
            guard entries.integer(UInt16.self, at: entry + 2, isLittleEndian: true) == Self.trailerType,
                let offset: UInt32 = entries.integer(at: entry + 4, isLittleEndian: true),
                UInt64(offset) <= directory,
                let name: UInt32 = reader.bytes(at: directory - UInt64(offset) + 4, count: 4)?
                    .integer(at: 0, isLittleEndian: true)
            else { continue }
            return directory - UInt64(offset) + 8 + UInt64(name)
        }
        return nil
    }
}
