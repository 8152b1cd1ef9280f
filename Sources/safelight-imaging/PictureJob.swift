import CVips
import ImagingProtocol
import Media

/// Looks into one picture.
struct PictureJob {
    let type: MediaType
    let source: any ByteSource
    let limits: ImagingLimits

    /// - Parameter tell: gets what the file says, before it is decoded.
    func result(telling tell: (MediaFacts) -> Void = { _ in }) throws(UnreadableReason) -> JobResult {
        var facts = (try? MediaFacts(reading: source, type: type)) ?? MediaFacts()
        tell(facts)
        if type.isVideo { return JobResult(facts: facts) }
        guard type.isPicture else { throw .unknownFormat }
        guard VipsLibrary.canShow(type) else { return JobResult(facts: facts, unreadable: .unsupported) }
        do throws(UnreadableReason) {
            return try shown(&facts)
        } catch {
            let reason = known(error, facts)
            // When and where it was taken stands there all the same.
            guard facts != MediaFacts() else { throw reason }
            return JobResult(facts: facts, unreadable: reason)
        }
    }

    /// What a library says of a file whose format and size are known here.
    private func known(_ reason: UnreadableReason, _ facts: MediaFacts) -> UnreadableReason {
        switch reason {
        case .damaged:
            let pixels = UInt64(facts.width ?? 0).multipliedReportingOverflow(by: UInt64(facts.height ?? 0))
            if pixels.overflow || pixels.partialValue > limits.pixelCount { return .tooManyPixels }
            return type.isOfKnownCoding(source) ? .damaged : .unsupported
        // It began as one: what follows is broken, but in HEIF may be a kind that the library has no name for.
        case .unknownFormat: return [.heic, .heif, .avif].contains(type) ? .unsupported : .damaged
        default: return reason
        }
    }

    /// All pixels of a whole file of one picture.
    func whole() throws(UnreadableReason) -> Decoding.Picture {
        guard type.isPicture, !type.isShownByEmbeddedJPEG, type != .bmp, type != .ico, VipsLibrary.canShow(type),
            type != .tiff || YCbCrTIFF(reading: source) == nil
        else { throw .unsupported }
        let picture = try wholeFile(turnedBy: 1, isWhole: true)
        guard !picture.isDamaged, picture.pageCount == 1 else { throw .unsupported }
        return picture
    }

    private func shown(_ facts: inout MediaFacts) throws(UnreadableReason) -> JobResult {
        let picture = try picture(turnedBy: facts.orientation)
        if !type.isShownByEmbeddedJPEG || facts.width == nil || facts.height == nil {
            facts.width = picture.width
            facts.height = picture.height
        }
        let renditions = try Renditions(of: picture.preview)
        facts.dominantColour = renditions.dominantColour
        facts.placeholder = renditions.placeholder
        return JobResult(
            facts: facts, thumbnail: renditions.thumbnail, preview: renditions.preview, isDamaged: picture.isDamaged)
    }

    /// Of a raw photo, the JPEG in it, which may be smaller than the photo.
    private func picture(turnedBy orientation: Int) throws(UnreadableReason) -> Decoding.Picture {
        if type == .bmp { return try BitmapFile(source, limits).picture() }
        if type == .ico { return try IconFile(source, limits).picture() }
        if type == .psd {
            guard let embedded = try embeddedPicture() else { throw .unsupported }
            return embedded
        }
        if type.isRaw {
            guard let embedded = try embeddedPicture() else { throw .nothingToShow }
            return embedded
        }
        if type == .tiff, let layout = YCbCrTIFF(reading: source) {
            return try YCbCrFile(source, layout, limits).picture()
        }
        do throws(UnreadableReason) {
            return try wholeFile(turnedBy: orientation)
        } catch .unsupported where type == .tiff {
            // JPEG by the first way of TIFF 6.0: libvips takes none whose colours have fewer pixels, as most have.
            guard let embedded = try embeddedPicture() else { throw .unsupported }
            return embedded
        }
    }

    private func embeddedPicture() throws(UnreadableReason) -> Decoding.Picture? {
        guard let embedded = (try? EmbeddedJPEG(reading: source, type: type)).flatMap({ $0 }) else { return nil }
        let decoding = Decoding(
            source: PictureSource(source, range: embedded.range, type: .jpeg), limits: limits,
            orientation: embedded.orientation)
        return try decoding.picture()
    }

    /// - Parameter orientation: EXIF's, which libvips does not find in JPEG 2000.
    private func wholeFile(turnedBy orientation: Int, isWhole: Bool = false) throws(UnreadableReason)
        -> Decoding.Picture
    {
        let input = PictureSource(source, range: 0..<source.byteCount, type: type)
        let colours = ColourDescription(reading: source, type: type)
        let turn = type == .jp2 ? orientation : 1
        var picture = try Decoding(
            source: input, limits: limits, orientation: turn, colours: colours, isWhole: isWhole
        ).picture()
        if input.isCut { picture.isDamaged = true }
        if !picture.isDamaged { picture.isDamaged = try isUnfinished(input, picture) }
        return picture
    }

    /// What the decoder made a whole picture of.
    private func isUnfinished(_ input: PictureSource, _ picture: Decoding.Picture) throws(UnreadableReason) -> Bool {
        // Without an end mark nobody warns of scans that never came.
        guard type == .jpeg else {
            let end = PictureEnd(reading: source, type: type)
            guard end.isMissing, end.maySayOneColour else { return end.isMissing }
            return try !picture.preview.isOfOneColour()
        }
        return input.hasReadTail && !JPEGScans(reading: source).isComplete
    }
}

/// What is kept of a picture: a preview, a thumbnail, and what stands in for it until these are there.
struct Renditions {
    let preview: Rendition
    let thumbnail: Rendition
    let dominantColour: UInt32?
    let placeholder: [UInt8]?

    /// - Parameter picture: computed, upright, sRGB, no larger than a preview.
    init(of picture: VipsPicture) throws(UnreadableReason) {
        let side = Rendition.thumbnailSide(width: picture.width, height: picture.height)
        let small = try picture.shrunk(toSide: side).computed()
        preview = try RenditionEncoder(quality: 80).rendition(of: picture)
        thumbnail = try RenditionEncoder(quality: 75).rendition(of: small)
        let tiny = try small.shrunk(toSide: Placeholder.sourceSide).computed()
        let pixels = try tiny.rgba()
        dominantColour = DominantColour(rgba: pixels).value
        placeholder = Placeholder(rgba: pixels, width: tiny.width, height: tiny.height)?.bytes
    }
}

/// The colour that most of a small picture has.
struct DominantColour {
    /// 0xRRGGBB; nil if nothing is to be seen.
    let value: UInt32?

    /// Pixels are sorted into cubes of 32 levels a side; the fullest cube's mean is the colour.
    init(rgba: [UInt8]) {
        var cubes: [Int: (count: Int, red: Int, green: Int, blue: Int)] = [:]
        for start in stride(from: 0, to: rgba.count - 3, by: 4) where rgba[start + 3] >= 128 {
            let (red, green, blue) = (Int(rgba[start]), Int(rgba[start + 1]), Int(rgba[start + 2]))
            let cube = (red >> 5) << 6 | (green >> 5) << 3 | blue >> 5
            let sum = cubes[cube] ?? (0, 0, 0, 0)
            cubes[cube] = (sum.count + 1, sum.red + red, sum.green + green, sum.blue + blue)
        }
        let fullest = cubes.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
        value = fullest.map { _, sum in
            let mean = [sum.red, sum.green, sum.blue].map { UInt32($0 / sum.count) }
            return mean[0] << 16 | mean[1] << 8 | mean[2]
        }
    }
}

/// Encodes a picture as WebP, or as JPEG where that is smaller and nothing is transparent.
struct RenditionEncoder {
    let quality: Int
    /// WebP's effort, of 0…6: more takes longer and saves little.
    private static let effort: CInt = 2
    private static let leastQuality = 20

    func rendition(of picture: VipsPicture) throws(UnreadableReason) -> Rendition {
        var quality = quality
        while true {
            let (type, bytes) = try smallest(picture, CInt(quality))
            if bytes.count <= Rendition.byteLimit {
                return Rendition(bytes: bytes, type: type, width: picture.width, height: picture.height)
            }
            // Noise: no picture of this size takes so much otherwise.
            guard quality > Self.leastQuality else { throw .tooMuchMemory }
            quality -= 20
        }
    }

    private func smallest(_ picture: VipsPicture, _ quality: CInt) throws(UnreadableReason) -> (MediaType, [UInt8]) {
        let encoded = try picture.encoded { cvips_webp($0, &$1, &$2, quality, Self.effort) }
        guard let webP = WebPContainer(encoded)?.stripped else { throw .damaged }
        guard !picture.hasAlpha else { return (.webp, webP) }
        let jpeg = try picture.encoded { cvips_jpeg($0, &$1, &$2, quality) }
        return jpeg.count < webP.count ? (.jpeg, jpeg) : (.webp, webP)
    }
}
