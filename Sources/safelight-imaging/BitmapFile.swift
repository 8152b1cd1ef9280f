import CVips
import ImagingProtocol
import Media

/// Windows' bitmaps, which every browser shows and libvips does not read by itself: pixels as they are, with a palette or
/// with 16, 24 or 32 bits. The rare packed ones are left out.
struct BitmapFile {
    private let source: any ByteSource
    private let header: BitmapHeader
    private let rowByteCount: Int

    init(_ source: any ByteSource, _ limits: ImagingLimits) throws(UnreadableReason) {
        guard let head = try? source.read(at: 0, count: 64), let header = BitmapHeader(head) else { throw .damaged }
        guard header.width <= 1 << 20, header.height <= 1 << 20,
            UInt64(header.width) * UInt64(header.height) <= limits.pixelCount
        else { throw .tooManyPixels }
        guard header.compression == 0 || header.compression == 3 && header.bitsPerPixel == 32 else {
            throw .unsupported
        }
        self.source = source
        self.header = header
        rowByteCount = (header.width * header.bitsPerPixel + 31) / 32 * 4
    }

    func picture() throws(UnreadableReason) -> Decoding.Picture {
        let palette = (try? source.read(at: UInt64(header.paletteOffset), count: header.colourCount * 4)) ?? []
        var pixels: [UInt8] = []
        pixels.reserveCapacity(header.width * header.height * 3)
        var isDamaged = false
        for row in 0..<header.height {
            let stored = header.isTopDown ? row : header.height - 1 - row
            let place = UInt64(header.pixelOffset) + UInt64(stored) * UInt64(rowByteCount)
            let bytes = (try? source.read(at: place, count: rowByteCount)) ?? []
            if bytes.count < rowByteCount { isDamaged = true }
            append(bytes, palette, to: &pixels)
        }
        let (columns, rows) = (CInt(header.width), CInt(header.height))
        let whole = try VipsPicture { result in
            result = cvips_of_bytes(pixels, pixels.count, columns, rows, 3)
            return result == nil ? -1 : 0
        }
        let side = Rendition.previewSide(width: header.width, height: header.height)
        let preview = max(header.width, header.height) > side ? try whole.shrunk(toSide: side).computed() : whole
        return Decoding.Picture(
            preview: preview, width: header.width, height: header.height, isDamaged: isDamaged)
    }

    /// One row; black where the file ends before.
    private func append(_ row: [UInt8], _ palette: [UInt8], to pixels: inout [UInt8]) {
        func byte(_ index: Int) -> UInt8 { index < row.count ? row[index] : 0 }
        for column in 0..<header.width {
            switch header.bitsPerPixel {
            case 24: pixels += [byte(column * 3 + 2), byte(column * 3 + 1), byte(column * 3)]
            case 32: pixels += [byte(column * 4 + 2), byte(column * 4 + 1), byte(column * 4)]
            case 16:
                let value = Int(byte(column * 2)) | Int(byte(column * 2 + 1)) << 8
                pixels += [10, 5, 0].map { UInt8((value >> $0 & 31) * 255 / 31) }
            default:
                let bits = header.bitsPerPixel
                let place = column * bits
                let index = Int(byte(place / 8)) >> (8 - bits - place % 8) & (1 << bits - 1)
                let start = index * 4
                guard start + 2 < palette.count else {
                    pixels += [0, 0, 0]
                    continue
                }
                pixels += [palette[start + 2], palette[start + 1], palette[start]]
            }
        }
    }
}
