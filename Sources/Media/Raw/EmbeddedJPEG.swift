/// The JPEG that a camera put into its raw file: how a raw photo is shown. Also one that a program put into a file of its own.
package struct EmbeddedJPEG: Equatable, Sendable {
    /// Where it lies in the raw file.
    package let range: Range<UInt64>
    /// Pixels as they are stored, before any turning.
    package let width: Int
    package let height: Int
    /// EXIF's 1…8: how its pixels are to be turned.
    package let orientation: Int

    /// As large as a preview gets: the smallest embedded picture that has this many pixels on its longer side is taken,
    /// else the largest one.
    private static let wantedSide = 2048
    private static let maximumCandidateCount = 64

    /// Nil if `type` is neither a raw format nor TIFF nor Photoshop's, or no picture that every decoder knows is embedded.
    /// - Throws: `MediaError.source` only.
    package init?(reading source: some ByteSource, type: MediaType) throws(MediaError) {
        guard type.isShownByEmbeddedJPEG || type == .tiff else { return nil }
        let reader = BoundedReader(source)
        let found = Self.best(of: Self.candidates(reader, type: type), reader)
        if let failure = reader.failure { throw .source(failure) }
        guard let found else { return nil }
        self = found
    }

    private init(range: Range<UInt64>, size: PictureSize, orientation: Int) {
        self.range = range
        width = size.width
        height = size.height
        self.orientation = orientation
    }

    private struct Candidates {
        var ranges: [Range<UInt64>] = []
        var orientation: Int?
    }

    private static func candidates(_ reader: BoundedReader, type: MediaType) -> Candidates {
        switch type {
        case .psd: return Candidates(ranges: [PhotoshopFile.thumbnail(reader)].compactMap(\.self))
        case .raf: return Candidates(ranges: [fujiRange(reader)].compactMap(\.self))
        case .cr3:
            let file = CanonRawFile(reader)
            return Candidates(ranges: file.previews, orientation: file.exif?.orientation)
        default:
            guard let file = TIFFFile(reader) else { return Candidates() }
            let ranges =
                file.directories.compactMap(\.embeddedJPEG) + [OlympusMakerNote.preview(in: file)].compactMap(\.self)
            return Candidates(ranges: ranges, orientation: file.exif?.orientation)
        }
    }

    private static func best(of candidates: Candidates, _ reader: BoundedReader) -> EmbeddedJPEG? {
        let found = candidates.ranges.prefix(maximumCandidateCount).compactMap { range -> EmbeddedJPEG? in
            guard let header = JPEGHeader(reader, at: range.lowerBound), header.isOrdinary, let size = header.size
            else {
                return nil
            }
            let own = header.exif.flatMap { TIFFReader(BoundedReader($0)) }.flatMap(ExifFacts.init)?.orientation
            return EmbeddedJPEG(range: range, size: size, orientation: own ?? candidates.orientation ?? 1)
        }
        let enough = found.filter { max($0.width, $0.height) >= wantedSide }
        let isSmaller = { (one: EmbeddedJPEG, other: EmbeddedJPEG) in
            one.width * one.height < other.width * other.height
        }
        return enough.min(by: isSmaller) ?? found.max(by: isSmaller)
    }

    /// Fuji's header tells where the JPEG lies that also carries the EXIF block.
    private static func fujiRange(_ reader: BoundedReader) -> Range<UInt64>? {
        guard let head = reader.bytes(at: 84, count: 8), let start: UInt32 = head.integer(at: 0),
            let length: UInt32 = head.integer(at: 4), UInt64(start) + UInt64(length) <= reader.byteCount, length > 0
        else { return nil }
        return UInt64(start)..<UInt64(start) + UInt64(length)
    }

    static func fujiStart(_ reader: BoundedReader) -> UInt64? { fujiRange(reader)?.lowerBound }
}

extension TIFFDirectory {
    /// JPEG, by TIFF's old and new way.
    private static let jpegCompressions: Set<UInt32> = [6, 7]

    /// Where a directory's picture lies, if it is one whole JPEG stream.
    fileprivate var embeddedJPEG: Range<UInt64>? {
        if let whole = range(of: TIFFTag.panasonicJPEG), whole.count > 1024 { return whole }
        if let range = range(TIFFTag.jpegOffset, TIFFTag.jpegByteCount) { return range }
        guard let compression = number(TIFFTag.compression), Self.jpegCompressions.contains(compression) else {
            return nil
        }
        return range(TIFFTag.stripOffsets, TIFFTag.stripByteCounts)
    }

    fileprivate func range(_ startTag: UInt16, _ lengthTag: UInt16) -> Range<UInt64>? {
        let (starts, lengths) = (numbers(startTag), numbers(lengthTag))
        guard starts.count == 1, lengths.count == 1, lengths[0] > 0, let start = tiff.position(of: UInt64(starts[0])),
            UInt64(lengths[0]) <= tiff.reader.byteCount - start
        else { return nil }
        return start..<start + UInt64(lengths[0])
    }
}

/// Olympus keeps its preview in a directory of the maker's note, whose offsets count from the note itself.
private enum OlympusMakerNote {
    private static let cameraSettings: UInt16 = 0x2020
    private static let previewStart: UInt16 = 0x0101
    private static let previewLength: UInt16 = 0x0102

    static func preview(in file: TIFFFile) -> Range<UInt64>? {
        guard let exif = file.directories.first?.directory(TIFFTag.exifDirectory),
            let note = exif.range(of: TIFFTag.makerNote),
            let head = file.tiff.reader.bytes(at: note.lowerBound, count: 12),
            head.has("OLYMPUS\0") || head.has("OM SYSTEM\0")
        else { return nil }
        let start: UInt64 = head.has("OLYMPUS\0") ? 12 : 16
        let tiff = TIFFReader(
            file.tiff.reader, base: note.lowerBound, isLittleEndian: file.tiff.isLittleEndian, firstDirectory: start)
        return tiff.directory(at: start)?.directory(cameraSettings)?.range(previewStart, previewLength)
    }
}
