import CVips
import ImagingProtocol
import Media

/// Decodes one picture, no larger than a preview where nobody needs all pixels.
struct Decoding {
    let source: PictureSource
    let limits: ImagingLimits
    /// EXIF's 1…8 for pixels that do not say it themselves.
    let orientation: Int
    /// What samples stand for that name no profile.
    let colours: ColourDescription?
    /// Whether all pixels are wanted.
    let isWhole: Bool

    init(
        source: PictureSource, limits: ImagingLimits, orientation: Int = 1, colours: ColourDescription? = nil,
        isWhole: Bool = false
    ) {
        self.source = source
        self.limits = limits
        self.orientation = orientation
        self.colours = colours
        self.isWhole = isWhole
    }

    struct Picture {
        /// Computed pixels, upright, sRGB; all of them where they were wanted.
        let preview: VipsPicture
        /// Pixels of the original, upright.
        let width: Int
        let height: Int
        var isDamaged: Bool
        /// Of a file that has several.
        var pageCount = 1
        /// EXIF's 1…8: how the stored pixels stand.
        var orientation = 1
    }

    private struct Header {
        /// Pixels of the picture as it is to be seen.
        let width: Int
        let height: Int
        /// EXIF's 1…8: what libvips does not do by itself.
        let turn: Int
        let isJPEG: Bool
        let isHEIF: Bool
        /// Of a JPEG 2000, each half as large as the one before it; 0 of others.
        let resolutionCount: Int
        let hasProfile: Bool
        let intent: VipsIntent
        let mapping: ToneMapping?
        /// Pixels of the longer side that is decoded.
        let side: Int
        let pageCount: Int
        let orientation: Int

        /// A JPEG is decoded to a half, a quarter or an eighth of its sides where that leaves enough for a preview. Half
        /// of 4000 pixels take a quarter of the time that all of them take, which are made 2048 then.
        var jpegShrink: CInt { [8, 4, 2].first { isEnough(dividedBy: Int($0)) } ?? 1 }

        /// How often a JPEG 2000 is halved while it is decoded.
        var halvings: CInt { CInt((0..<resolutionCount).last { isEnough(dividedBy: 1 << $0) } ?? 0) }

        /// Of a picture of three pixels in one direction libvips would leave none.
        private func isEnough(dividedBy shrink: Int) -> Bool {
            max(width, height) / shrink >= side * 15 / 16 && min(width, height) >= shrink
        }
    }

    /// A file that breaks off is decoded a second time for what there is of it.
    func picture() throws(UnreadableReason) -> Picture {
        vips_error_clear()
        guard let handle = source.handle() else { throw .tooMuchMemory }
        let header = try header(handle)
        let whole: VipsPicture
        do throws(UnreadableReason) {
            whole = try wholePreview(handle, header)
        } catch .damaged {
            let part = try partialPreview(handle, header)
            return Picture(preview: part, width: header.width, height: header.height, isDamaged: true)
        }
        let isDamaged = VipsFault.takeDamage()
        return Picture(
            preview: whole, width: header.width, height: header.height, isDamaged: isDamaged,
            pageCount: header.pageCount, orientation: header.orientation)
    }

    /// Before anything is decoded.
    private func header(_ handle: UnsafeMutablePointer<VipsSource>) throws(UnreadableReason) -> Header {
        let image = try VipsPicture { result in
            result = cvips_open(handle)
            return result == nil ? -1 : 0
        }
        let (pixels, overflow) = UInt64(image.width).multipliedReportingOverflow(by: UInt64(image.height))
        guard !overflow, pixels <= limits.pixelCount else { throw .tooManyPixels }
        let turn = image.orientation > 1 ? 1 : orientation
        let isOnItsSide = max(image.orientation, turn) >= 5
        let (width, height) = isOnItsSide ? (image.height, image.width) : (image.width, image.height)
        return Header(
            width: width, height: height, turn: turn, isJPEG: image.isJPEG, isHEIF: image.isHEIF,
            resolutionCount: image.isJPEG2000 ? min(image.pageCount, 16) : 0,
            hasProfile: image.hasFittingProfile, intent: image.intent,
            mapping: colours.flatMap { $0.needsMapping ? ToneMapping($0) : nil },
            side: isWhole ? max(width, height) : Rendition.previewSide(width: width, height: height),
            pageCount: image.isJPEG2000 ? 1 : image.pageCount, orientation: max(image.orientation, turn))
    }

    /// A profile that does not fit the picture, or is none, is left out: every viewer does that.
    private func wholePreview(
        _ handle: UnsafeMutablePointer<VipsSource>, _ header: Header
    ) throws(UnreadableReason) -> VipsPicture {
        do throws(UnreadableReason) {
            return try preview(handle, header, inProfile: header.hasProfile, failingOn: VIPS_FAIL_ON_ERROR)
        } catch .damaged where header.hasProfile {
            return try preview(handle, header, inProfile: false, failingOn: VIPS_FAIL_ON_ERROR)
        }
    }

    /// Of HEIF, whose decoders give all or nothing, the small picture that cameras put in front of the large one.
    private func partialPreview(
        _ handle: UnsafeMutablePointer<VipsSource>, _ header: Header
    ) throws(UnreadableReason) -> VipsPicture {
        do throws(UnreadableReason) {
            return try preview(handle, header, inProfile: false, failingOn: VIPS_FAIL_ON_NONE)
        } catch .damaged where header.isHEIF {
            let small = try VipsPicture { cvips_heif_small(handle, &$0, CInt(header.side)) }
            return try small.inSRGB().computed().withoutIdleAlpha().withoutProfile()
        }
    }

    private func preview(
        _ handle: UnsafeMutablePointer<VipsSource>, _ header: Header, inProfile: Bool, failingOn level: VipsFailOn
    ) throws(UnreadableReason) -> VipsPicture {
        let side = CInt(header.side)
        // libvips 8.14 would lead what names no profile through CIELAB and make it darker on the way.
        let small = try VipsPicture { result in
            "srgb".withCString { name in
                let colours = cvips_colours(profile: inProfile ? name : nil, intent: header.intent)
                return if header.isJPEG {
                    cvips_jpeg_thumbnail(handle, &result, header.jpegShrink, side, colours, level)
                } else if header.resolutionCount > 0 {
                    cvips_jp2k_thumbnail(handle, &result, header.halvings, side, colours, level)
                } else {
                    cvips_thumbnail(handle, &result, side, colours, level)
                }
            }
        }.mapped(by: inProfile ? nil : header.mapping).inSRGB().computed()
        let upright = header.turn > 1 ? try small.turned(by: header.turn).computed() : small
        return try upright.withoutIdleAlpha().withoutProfile()
    }
}

/// A TIFF of brightness and differences of colour, which libvips does not show in its colours.
struct YCbCrFile {
    private static let bands = 3
    /// A strip is unpacked as a whole.
    private static let longestStrip = 256 << 20

    private let source: any ByteSource
    private let layout: YCbCrTIFF

    init(_ source: any ByteSource, _ layout: YCbCrTIFF, _ limits: ImagingLimits) throws(UnreadableReason) {
        guard UInt64(layout.width) * UInt64(layout.height) <= limits.pixelCount else { throw .tooManyPixels }
        // A few bytes may announce hundreds of megabytes: room is made for what has begun.
        guard let first = layout.strips.first, first.lowerBound < source.byteCount,
            layout.byteCount(ofRows: layout.rowsPerStrip) <= Self.longestStrip
        else { throw .damaged }
        self.source = source
        self.layout = layout
    }

    func picture() throws(UnreadableReason) -> Decoding.Picture {
        var pixels = [UInt8](repeating: 0, count: layout.width * layout.height * Self.bands)
        var isWhole = true
        for (number, range) in layout.strips.enumerated() {
            let start = number * layout.rowsPerStrip
            let rows = min(layout.rowsPerStrip, layout.height - start)
            let packed = (try? source.read(at: range.lowerBound, count: min(range.count, Self.longestStrip))) ?? []
            let bytes = layout.unpacked(packed, rows: rows)
            if bytes.count < layout.byteCount(ofRows: rows) { isWhole = false }
            put(bytes, start, rows, into: &pixels)
        }
        let (columns, rows) = (CInt(layout.width), CInt(layout.height))
        let whole = try VipsPicture { result in
            result = cvips_of_bytes(pixels, pixels.count, columns, rows, CInt(Self.bands))
            return result == nil ? -1 : 0
        }
        let side = Rendition.previewSide(width: layout.width, height: layout.height)
        let small = max(layout.width, layout.height) > side ? try whole.shrunk(toSide: side).computed() : whole
        let upright = layout.orientation > 1 ? try small.turned(by: layout.orientation).computed() : small
        let isOnItsSide = layout.orientation >= 5
        return Decoding.Picture(
            preview: upright, width: isOnItsSide ? layout.height : layout.width,
            height: isOnItsSide ? layout.width : layout.height, isDamaged: !isWhole,
            orientation: layout.orientation)
    }

    /// Blocks of pixels row by row; the last ones may go beyond the picture.
    private func put(_ bytes: [UInt8], _ start: Int, _ rows: Int, into pixels: inout [UInt8]) {
        let (across, down) = (layout.across, layout.down)
        let blockByteCount = across * down + 2
        let blocksPerRow = (layout.width - 1) / across + 1
        for block in 0..<bytes.count / blockByteCount {
            let place = block * blockByteCount
            let (top, left) = (block / blocksPerRow * down, block % blocksPerRow * across)
            for pixel in 0..<across * down {
                let (row, column) = (top + pixel / across, left + pixel % across)
                guard row < rows, column < layout.width else { continue }
                let target = ((start + row) * layout.width + column) * Self.bands
                let colour = layout.colour(
                    bytes[place + pixel], bytes[place + blockByteCount - 2], bytes[place + blockByteCount - 1])
                (pixels[target], pixels[target + 1], pixels[target + 2]) = colour
            }
        }
    }
}
