extension Overwrites {
    /// Kinds of files of which clean copies are made.
    package static let cleanable: Set<MediaType> = [.jpeg, .png, .webp, .heic, .heif, .avif, .mp4, .quickTime]

    /// Raised with every change of what a clean copy keeps: parts of two that differ must not be put together.
    package static let cleaningVersion = 1

    /// What stands in a clean copy of a file: one without what the file says about place, camera, person and time. It is as long
    /// as the file, and each of its pixels and samples is the same. Blocks; reads what decides, which of a JPEG is all.
    /// - Parameter isTrial: of a JPEG only the header is read: it decides whether a copy can be made.
    /// - Throws: `noCleanCopy`, `source`.
    package init(cleaning source: some ByteSource, type: MediaType, isTrial: Bool = false) throws(MediaError) {
        let reader = BoundedReader(source, limits: Self.limits(for: type))
        do {
            self = try Self.cleaning(reader, type, isTrial: isTrial)
        } catch {
            if let failure = reader.failure { throw .source(failure) }
            throw error
        }
        if let failure = reader.failure { throw .source(failure) }
    }

    /// Of a JPEG all is read; of PNG and WebP the heads of their chunks, each with what follows; of boxes their tables.
    private static func limits(for type: MediaType) -> BoundedReader.Limits {
        let bytes =
            switch type {
            case .jpeg: 1 << 30
            case .png, .webp: 1 << 28
            default: 1 << 26
            }
        return BoundedReader.Limits(bytesPerRead: 512 << 10, reads: 1 << 16, bytes: bytes)
    }

    private static func cleaning(
        _ reader: BoundedReader, _ type: MediaType, isTrial: Bool
    ) throws(MediaError) -> Overwrites {
        var overwrites: Overwrites
        switch type {
        case .jpeg: overwrites = try CleanJPEG(reader, isTrial: isTrial).overwrites
        case .png: overwrites = try CleanPNG(reader).overwrites
        case .webp: overwrites = try CleanWebP(reader).overwrites
        case .heic, .heif, .avif: return try cleaning(boxesOf: reader, isPicture: true)
        case .mp4, .quickTime: return try cleaning(boxesOf: reader, isPicture: false)
        default: throw .noCleanCopy
        }
        guard overwrites.order() else { throw .noCleanCopy }
        return overwrites
    }

    /// MP4, QuickTime, HEIF and AVIF: boxes, of which the sequences of the latter have those of movies, too.
    private static func cleaning(boxesOf reader: BoundedReader, isPicture: Bool) throws(MediaError) -> Overwrites {
        var boxes = try CleanBoxes(reader)
        let cleaner = boxes.cleaner
        var (movie, picture): (CleanMovie?, CleanHEIF?) = (nil, nil)
        for box in boxes.boxes {
            switch box.type {
            case "ftyp", "styp": try cleaner.keepBrands(box, other: isPicture ? "mif1" : "isom")
            case "moov":
                guard movie == nil else { throw .noCleanCopy }
                movie = try CleanMovie(cleaner, box, kept: &boxes.kept)
            case "moof":
                guard let movie else { throw .noCleanCopy }
                _ = try CleanFragment(cleaner, box, tracks: movie.tracks, kept: &boxes.kept)
            case "meta" where isPicture:
                guard picture == nil else { throw .noCleanCopy }
                picture = try CleanHEIF(cleaner, box, kept: &boxes.kept)
            case "mdat": break
            case "free", "skip", "wide": cleaner.clear(box.payload)
            case "sidx": try cleaner.keepIndex(box)
            default: cleaner.drop(box)
            }
        }
        guard let picture else { return try boxes.finish() }
        boxes.places += [picture.data].compactMap(\.self)
        return try boxes.finish(dropping: picture.dropped, picture.putExif)
    }
}
