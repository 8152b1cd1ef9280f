import CVips
import ImagingProtocol
import Media

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
