import CFFmpeg
import ImagingProtocol
import Media

/// Makes a decoded picture small and brings its colours to sRGB, by what the video says about them.
struct FrameConversion {
    private let frame: UnsafeMutablePointer<AVFrame>
    private let width: Int
    private let height: Int
    private let owner: VideoFrame

    /// At most `longestSide` pixels on the longer side, with square pixels.
    init(_ frame: VideoFrame, longestSide: Int) throws(UnreadableReason) {
        owner = frame
        self.frame = frame.pointer
        let stored = (width: Double(frame.pointer.pointee.width), height: Double(frame.pointer.pointee.height))
        guard stored.width > 0, stored.height > 0 else { throw .damaged }
        let seenWidth = stored.width * Self.pixelAspect(frame.pointer.pointee.sample_aspect_ratio)
        let scale = min(1, Double(longestSide) / max(seenWidth, stored.height))
        width = max(1, Int((seenWidth * scale).rounded()))
        height = max(1, Int((stored.height * scale).rounded()))
    }

    func picture() throws(UnreadableReason) -> RGBPicture {
        defer { withExtendedLifetime(owner) {} }
        guard let curve = HDRCurve(frame.pointee.color_trc) else {
            let bytes = try scaled(to: AV_PIX_FMT_RGB24, bytesPerPixel: 3)
            return RGBPicture(width: width, height: height, bytes: bytes)
        }
        let wide = try scaled(to: AV_PIX_FMT_RGB48LE, bytesPerPixel: 6)
        return RGBPicture(width: width, height: height, bytes: ToneMapping(curve).map(wide))
    }

    private func scaled(to format: AVPixelFormat, bytesPerPixel: Int) throws(UnreadableReason) -> [UInt8] {
        let source = AVPixelFormat(rawValue: frame.pointee.format)
        guard
            let context = sws_getContext(
                frame.pointee.width, frame.pointee.height, source, CInt(width), CInt(height), format,
                SWS_AREA | CInt(SWS_ACCURATE_RND), nil, nil, nil)
        else { throw .damaged }
        defer { sws_freeContext(context) }
        if cffmpeg_is_rgb(source) == 0 {
            // A failure leaves the library's own guess, which is the right one for small videos.
            sws_setColorspaceDetails(
                context, sws_getCoefficients(matrix), isFullRange ? 1 : 0, sws_getCoefficients(CInt(SWS_CS_DEFAULT)), 1,
                0, 1 << 16, 1 << 16)
        }
        return try scale(context, rowByteCount: width * bytesPerPixel)
    }

    /// The library writes whole vectors: rows get room behind them, which is then left out.
    private func scale(_ context: OpaquePointer, rowByteCount: Int) throws(UnreadableReason) -> [UInt8] {
        let stride = (rowByteCount + 63) / 64 * 64 + 64
        guard let buffer = av_malloc(stride * height) else { throw .tooMuchMemory }
        defer { av_free(buffer) }
        let plane = buffer.assumingMemoryBound(to: UInt8.self)
        var planes: [UnsafeMutablePointer<UInt8>?] = [plane, nil, nil, nil]
        var strides: [CInt] = [CInt(stride), 0, 0, 0]
        let done = withUnsafePointer(to: &frame.pointee.data) { data in
            data.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 8) { sources in
                withUnsafePointer(to: &frame.pointee.linesize) { lines in
                    lines.withMemoryRebound(to: CInt.self, capacity: 8) { sourceStrides in
                        sws_scale(
                            context, sources, sourceStrides, 0, frame.pointee.height, &planes, &strides)
                    }
                }
            }
        }
        guard done == height else { throw .damaged }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rowByteCount * height)
        for row in 0..<height { bytes += UnsafeBufferPointer(start: plane + row * stride, count: rowByteCount) }
        return bytes
    }

    private var isFullRange: Bool {
        frame.pointee.color_range == AVCOL_RANGE_JPEG
            || cffmpeg_is_full_range(AVPixelFormat(rawValue: frame.pointee.format)) != 0
    }

    /// Where nothing is said, high definition means BT.709 and less means BT.601.
    private var matrix: CInt {
        switch frame.pointee.colorspace {
        case AVCOL_SPC_BT709: CInt(SWS_CS_ITU709)
        case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: CInt(SWS_CS_BT2020)
        case AVCOL_SPC_SMPTE240M: CInt(SWS_CS_SMPTE240M)
        case AVCOL_SPC_FCC: CInt(SWS_CS_FCC)
        case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: CInt(SWS_CS_ITU601)
        default: CInt(frame.pointee.height >= 720 ? SWS_CS_ITU709 : SWS_CS_ITU601)
        }
    }

    /// Width of a pixel by its height; square where nothing sane is said.
    static func pixelAspect(_ ratio: AVRational) -> Double {
        guard ratio.num > 0, ratio.den > 0 else { return 1 }
        let value = Double(ratio.num) / Double(ratio.den)
        return (0.25...4).contains(value) ? value : 1
    }
}

extension HDRCurve {
    /// Nil for curves of ordinary screens.
    init?(_ transfer: AVColorTransferCharacteristic) {
        switch transfer {
        case AVCOL_TRC_SMPTE2084: self = .perceptualQuantizer
        case AVCOL_TRC_ARIB_STD_B67: self = .hybridLogGamma
        default: return nil
        }
    }
}

extension ToneMapping {
    /// Of a video for bright screens, whose primaries are those of BT.2020.
    init(_ curve: HDRCurve) {
        self.init(ColourDescription(primaries: 9, transfer: curve == .hybridLogGamma ? 18 : 16))
    }
}

/// Rows of a picture, three bytes a pixel, in sRGB.
struct RGBPicture {
    let width: Int
    let height: Int
    let bytes: [UInt8]

    /// Mirrored and turned as EXIF's 1…8 say.
    func upright(orientation: Int) -> RGBPicture {
        guard (2...8).contains(orientation) else { return self }
        let swaps = orientation >= 5
        let (newWidth, newHeight) = swaps ? (height, width) : (width, height)
        var turned: [UInt8] = []
        turned.reserveCapacity(bytes.count)
        for row in 0..<newHeight {
            for column in 0..<newWidth {
                let start = source(column, row, orientation)
                turned.append(bytes[start])
                turned.append(bytes[start + 1])
                turned.append(bytes[start + 2])
            }
        }
        return RGBPicture(width: newWidth, height: newHeight, bytes: turned)
    }

    /// Where the pixel lies that comes to stand at this place.
    private func source(_ column: Int, _ row: Int, _ orientation: Int) -> Int {
        let (right, bottom) = (width - 1, height - 1)
        let place: (column: Int, row: Int) =
            switch orientation {
            case 2: (right - column, row)
            case 3: (right - column, bottom - row)
            case 4: (column, bottom - row)
            case 5: (row, column)
            case 6: (row, bottom - column)
            case 7: (right - row, bottom - column)
            case 8: (right - row, column)
            default: (column, row)
            }
        return (place.row * width + place.column) * 3
    }
}
