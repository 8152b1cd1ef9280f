import CVips
import ImagingProtocol
import Media

/// Windows' and OS/2's bitmaps, which every browser shows and libvips does not read by itself: with a palette, also in runs,
/// or with 16, 24 or 32 bits, of which some may say how little a pixel hides.
struct BitmapFile {
    private static let bytesPerRead = 1 << 18
    private static let bands = 4

    private let source: any ByteSource
    private let header: BitmapHeader
    private let rowByteCount: Int
    private let palette: [RGB]
    /// Of an icon, behind whose rows stands which pixels are seen at all.
    private let isIcon: Bool

    private typealias RGB = (red: UInt8, green: UInt8, blue: UInt8)

    init(_ source: any ByteSource, _ limits: ImagingLimits, isIcon: Bool = false) throws(UnreadableReason) {
        guard let head = try? source.read(at: 0, count: 128), let header = BitmapHeader(head) else { throw .damaged }
        guard header.width <= 1 << 20, header.height <= 1 << 20,
            UInt64(header.width) * UInt64(header.height) <= limits.pixelCount
        else { throw .tooManyPixels }
        guard header.coding != .other else { throw .unsupported }
        self.source = source
        self.header = header
        self.isIcon = isIcon
        rowByteCount = (header.width * header.bitsPerPixel + 31) / 32 * 4
        // A few bytes may announce hundreds of megabytes: room is made for what has begun.
        guard UInt64(header.pixelOffset) < source.byteCount else { throw .damaged }
        let size = header.bytesPerColour
        let bytes = (try? source.read(at: UInt64(header.paletteOffset), count: header.colourCount * size)) ?? []
        palette = stride(from: 0, through: bytes.count - size, by: size).map {
            (bytes[$0 + 2], bytes[$0 + 1], bytes[$0])
        }
    }

    func picture() throws(UnreadableReason) -> Decoding.Picture {
        var pixels = [UInt8](repeating: 0, count: header.width * header.height * Self.bands)
        let isWhole = header.coding == .runs ? unpackRuns(into: &pixels) : copyRows(into: &pixels)
        takeOpacity(into: &pixels)
        let (columns, rows) = (CInt(header.width), CInt(header.height))
        let whole = try VipsPicture { result in
            result = cvips_of_bytes(pixels, pixels.count, columns, rows, CInt(Self.bands))
            return result == nil ? -1 : 0
        }.withoutIdleAlpha()
        let side = Rendition.previewSide(width: header.width, height: header.height)
        let preview = max(header.width, header.height) > side ? try whole.shrunk(toSide: side).computed() : whole
        return Decoding.Picture(
            preview: preview, width: header.width, height: header.height, isDamaged: !isWhole)
    }

    /// Where the stored row stands in the picture.
    private func row(_ stored: Int) -> Int { header.isTopDown ? stored : header.height - 1 - stored }

    private func put(_ colour: RGB, at index: Int, in pixels: inout [UInt8]) {
        let place = index * Self.bands
        (pixels[place], pixels[place + 1], pixels[place + 2]) = colour
    }

    // MARK: Opacity

    private var alphaMask: UInt32 { isIcon && header.bitsPerPixel == 32 ? 0xFF00_0000 : header.alphaMask }

    /// Where all bits for it are 0, nobody has set them: then nothing is hidden, as in every browser.
    private func takeOpacity(into pixels: inout [UInt8]) {
        let places = stride(from: Self.bands - 1, to: pixels.count, by: Self.bands)
        if alphaMask != 0, places.contains(where: { pixels[$0] != 0 }) { return }
        for place in places { pixels[place] = 255 }
        if isIcon { takeMask(into: &pixels) }
    }

    /// Rows of one bit a pixel, which is set where nothing is seen.
    private func takeMask(into pixels: inout [UInt8]) {
        let rowByteCount = (header.width + 31) / 32 * 4
        let start = UInt64(header.pixelOffset) + UInt64(self.rowByteCount) * UInt64(header.height)
        for stored in 0..<header.height {
            let place = start + UInt64(stored) * UInt64(rowByteCount)
            guard let bits = try? source.read(at: place, count: rowByteCount), bits.count == rowByteCount else {
                return
            }
            for column in 0..<header.width where bits[column / 8] >> (7 - column % 8) & 1 == 1 {
                pixels[(row(stored) * header.width + column) * Self.bands + 3] = 0
            }
        }
    }

    /// A number behind the palette is black, as for every viewer.
    private func colour(_ index: Int) -> RGB { index < palette.count ? palette[index] : (0, 0, 0) }

    // MARK: Rows

    /// - Returns: false where the file ends before; black from there on.
    private func copyRows(into pixels: inout [UInt8]) -> Bool {
        let channels = channels
        let opacity = MaskedChannel(alphaMask)
        for stored in 0..<header.height {
            let place = UInt64(header.pixelOffset) + UInt64(stored) * UInt64(rowByteCount)
            guard let bytes = try? source.read(at: place, count: rowByteCount), bytes.count * 8 >= usedBits else {
                return false
            }
            let start = row(stored) * header.width
            for column in 0..<header.width {
                put(colour(column, in: bytes, channels), at: start + column, in: &pixels)
                if alphaMask != 0 {
                    pixels[(start + column) * Self.bands + 3] = opacity.level(value(column, in: bytes))
                }
            }
        }
        return true
    }

    /// Of a row without what fills it up, which the last one may lack.
    private var usedBits: Int { header.width * header.bitsPerPixel }

    private var channels: [MaskedChannel] {
        guard case .masks(let red, let green, let blue) = header.coding else { return [] }
        return [red, green, blue].map(MaskedChannel.init)
    }

    private func colour(_ column: Int, in row: [UInt8], _ channels: [MaskedChannel]) -> RGB {
        switch header.bitsPerPixel {
        case 24: return (row[column * 3 + 2], row[column * 3 + 1], row[column * 3])
        case 16, 32:
            let value = value(column, in: row)
            return (channels[0].level(value), channels[1].level(value), channels[2].level(value))
        default:
            let bits = header.bitsPerPixel
            let place = column * bits
            return colour(Int(row[place / 8]) >> (8 - bits - place % 8) & (1 << bits - 1))
        }
    }

    /// Of 16 or 32 bits.
    private func value(_ column: Int, in row: [UInt8]) -> UInt32 {
        let count = header.bitsPerPixel / 8
        return (0..<count).reduce(UInt32(0)) { $0 | UInt32(row[column * count + $1]) << UInt32(8 * $1) }
    }

    // MARK: Runs

    /// Two bytes each: so many pixels of a colour; or after a zero the end of a row (0), the end (1), a step to the right and
    /// up (2), or so many pixels as they are. What is stepped over stays black.
    /// - Returns: false where the file ends before, or a run leaves the row: some programs write what fills it up to whole
    ///   words, too, which is no part of the picture.
    private func unpackRuns(into pixels: inout [UInt8]) -> Bool {
        var bytes = ByteStream(source, from: UInt64(header.pixelOffset), bytesPerRead: Self.bytesPerRead)
        var (column, stored, isWhole) = (0, 0, true)
        let paddedWidth = rowByteCount * 8 / header.bitsPerPixel
        func append(_ index: Int) {
            guard column < header.width else {
                if column >= paddedWidth { isWhole = false }
                column += 1
                return
            }
            put(colour(index), at: row(stored) * header.width + column, in: &pixels)
            column += 1
        }
        while stored < header.height {
            guard let count = bytes.next(), let value = bytes.next() else { return false }
            switch (count, value) {
            case (0, 0): (column, stored) = (0, stored + 1)
            case (0, 1): return isWhole
            case (0, 2):
                guard let right = bytes.next(), let up = bytes.next() else { return false }
                (column, stored) = (column + Int(right), stored + Int(up))
            case (0, _):
                for index in 0..<Int(value) where !header.isOfHalfBytes || index % 2 == 0 {
                    guard let byte = bytes.next() else { return false }
                    guard header.isOfHalfBytes else {
                        append(Int(byte))
                        continue
                    }
                    append(Int(byte >> 4))
                    if index + 1 < Int(value) { append(Int(byte & 15)) }
                }
                // They fill whole words.
                if header.byteCount(ofPixels: Int(value)) % 2 == 1 { _ = bytes.next() }
            default:
                for index in 0..<Int(count) {
                    append(header.isOfHalfBytes ? Int(index % 2 == 0 ? value >> 4 : value & 15) : Int(value))
                }
            }
        }
        return isWhole
    }
}

extension BitmapHeader {
    fileprivate var isOfHalfBytes: Bool { bitsPerPixel == 4 }

    fileprivate func byteCount(ofPixels count: Int) -> Int { isOfHalfBytes ? (count + 1) / 2 : count }
}

/// The bits of one colour in a pixel.
private struct MaskedChannel {
    private let mask: UInt32
    private let shift: UInt32
    private let most: UInt32

    init(_ mask: UInt32) {
        self.mask = mask
        shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
        most = mask >> shift
    }

    /// 0…255.
    func level(_ pixel: UInt32) -> UInt8 {
        most == 0 ? 0 : UInt8(clamping: UInt64((pixel & mask) >> shift) * 255 / UInt64(most))
    }
}

/// The bytes of a file from some place on, one by one.
private struct ByteStream {
    private let source: any ByteSource
    private let bytesPerRead: Int
    private var place: UInt64
    private var piece: [UInt8] = []
    private var index = 0

    init(_ source: any ByteSource, from place: UInt64, bytesPerRead: Int) {
        self.source = source
        self.place = place
        self.bytesPerRead = bytesPerRead
    }

    mutating func next() -> UInt8? {
        if index == piece.count {
            guard let read = try? source.read(at: place, count: bytesPerRead), !read.isEmpty else { return nil }
            (piece, index, place) = (read, 0, place + UInt64(read.count))
        }
        defer { index += 1 }
        return piece[index]
    }
}
