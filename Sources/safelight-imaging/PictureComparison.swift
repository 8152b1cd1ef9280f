import CVips
import Glibc
import ImagingProtocol
import Media

/// Finds out whether one picture is no more than a copy of another one: whether it is, pixel by pixel, what an encoder makes
/// of that, as large or smaller. What cannot be told for sure is no copy.
struct PictureComparison {
    let first: PictureJob
    /// The one that may be a copy: not larger than the first.
    let second: PictureJob

    /// A smaller picture shows too little of what is in the larger one.
    private static let leastSide = 256
    private static let mostReduction = 4

    func difference() throws(UnreadableReason) -> PictureDifference {
        let copy = try second.whole()
        let (width, height) = (copy.width, copy.height)
        let best = try first.whole()
        guard Self.isReduction(of: (best.width, best.height), to: (width, height)) else { return .most }
        let isScaled = (best.width, best.height) != (width, height)
        if !isScaled, try pixels(of: best.preview).equal(pixels(of: copy.preview)) {
            return PictureDifference(thousandths: 0)
        }
        guard best.preview.bandCount == 3, copy.preview.bandCount == 3, max(width, height) >= Self.leastSide else {
            return .most
        }
        let grid = BlockGrid(orientation: copy.orientation)
        let steps = second.quantization.upright(copy.orientation)
        let measure = Measure(copy: copy.preview, shown: try pixels(of: copy.preview), steps: steps, grid: grid)
        var least = Double.infinity
        for reduction in Self.reductions(of: best.preview, to: width, height) where least > 1 {
            let picture = try reduced(best.preview, to: width, height, by: reduction)
            least = min(least, measure.ratio(to: try pixels(of: picture), of: picture, isScaled: isScaled))
        }
        guard least <= 1 else { return PictureDifference(ratio: least) }
        // So smooth a picture that another detail of it looks the same tells nothing.
        let detail = try Self.detail(of: best.preview).resampled(width, height, VIPS_KERNEL_CUBIC)
        guard measure.ratio(to: try pixels(of: detail), of: detail, isScaled: isScaled) > 1 else { return .most }
        return PictureDifference(ratio: least)
    }

    /// The copy, and what was found out about it.
    private struct Measure {
        let copy: VipsPicture
        let shown: Pixels
        let steps: JPEGQuantization
        let grid: BlockGrid

        /// - Parameter picture: what the pixels belong to.
        func ratio(to pixels: Pixels, of picture: VipsPicture, isScaled: Bool) -> Double {
            withExtendedLifetime((picture, copy)) {
                BlockDifference(
                    first: pixels, second: shown, quantization: steps, grid: grid, isScaled: isScaled
                ).ratio()
            }
        }
    }

    /// Whether a picture of the one size may be one of the other size made smaller, up to a pixel.
    private static func isReduction(of large: (width: Int, height: Int), to small: (width: Int, height: Int)) -> Bool {
        guard small.width <= large.width, small.height <= large.height,
            max(large.width, large.height) <= mostReduction * max(small.width, small.height)
        else { return false }
        return abs(small.height * large.width - large.height * small.width) <= max(large.width, large.height)
    }

    /// A way that programs have to make pictures smaller.
    private enum Reduction {
        case none
        case kernel(VipsKernel)
        /// The mean of squares of pixels.
        case mean(factor: Int)
    }

    private static func reductions(of picture: VipsPicture, to width: Int, _ height: Int) -> [Reduction] {
        guard (picture.width, picture.height) != (width, height) else { return [.none] }
        let factor = picture.width / width
        let isWhole = (factor * width, factor * height) == (picture.width, picture.height)
        let kernels = [VIPS_KERNEL_CUBIC, VIPS_KERNEL_LINEAR, VIPS_KERNEL_LANCZOS3].map(Reduction.kernel)
        return kernels + (isWhole ? [.mean(factor: factor)] : [])
    }

    private func reduced(
        _ picture: VipsPicture, to width: Int, _ height: Int, by reduction: Reduction
    ) throws(UnreadableReason) -> VipsPicture {
        switch reduction {
        case .none: picture
        case .kernel(let kernel): try picture.resampled(width, height, kernel)
        case .mean(let factor): try picture.applying { cvips_mean($0, &$1, CInt(factor)) }.computed()
        }
    }

    /// All but a hundredth of it.
    private static func detail(of picture: VipsPicture) throws(UnreadableReason) -> VipsPicture {
        let (width, height) = (picture.width * 99 / 100, picture.height * 99 / 100)
        let (left, top) = (CInt((picture.width - width) / 2), CInt((picture.height - height) / 2))
        return try picture.applying { cvips_crop($0, &$1, left, top, CInt(width), CInt(height)) }
    }

    private func pixels(of picture: VipsPicture) throws(UnreadableReason) -> Pixels {
        guard let data = vips_image_get_data(picture.handle) else { throw VipsFault.take() }
        return Pixels(
            bytes: data.assumingMemoryBound(to: UInt8.self), width: picture.width, height: picture.height,
            bandCount: picture.bandCount)
    }
}

extension VipsPicture {
    fileprivate func resampled(
        _ width: Int, _ height: Int, _ kernel: VipsKernel
    ) throws(UnreadableReason) -> VipsPicture {
        try applying { cvips_resample($0, &$1, CInt(width), CInt(height), kernel) }.computed()
    }
}

extension PictureJob {
    /// What the file says of its coding; of formats that say nothing, what a careful encoder does.
    fileprivate var quantization: JPEGQuantization {
        let lossless = JPEGQuantization(quality: 100, columnsPerColour: 1, rowsPerColour: 1)
        switch type {
        case .jpeg: return JPEGQuantization(reading: source) ?? lossless
        case .webp, .heic, .heif, .avif: return JPEGQuantization(quality: 85)
        default: return lossless
        }
    }
}

/// Computed pixels of eight bits, row by row, as long as the picture lives.
struct Pixels {
    let bytes: UnsafePointer<UInt8>
    let width: Int
    let height: Int
    let bandCount: Int

    func equal(_ other: Pixels) -> Bool {
        guard (width, height, bandCount) == (other.width, other.height, other.bandCount) else { return false }
        return memcmp(bytes, other.bytes, width * height * bandCount) == 0
    }
}

/// One plane of colour of a picture, with one sample for as many pixels as its encoder has given one.
struct ColourSamples {
    let columns: Int
    let rows: Int
    /// Of this picture: whether a pixel below the sample is cut off at black or white.
    private(set) var isCut: [Bool]
    private(set) var own: [Float] = []
    private let pixels: Pixels
    private let isRed: Bool
    private let across: Int
    private let down: Int
    private let grid: BlockGrid

    init(_ pixels: Pixels, _ isRed: Bool, _ quantization: JPEGQuantization, _ grid: BlockGrid) {
        (self.pixels, self.isRed, self.grid) = (pixels, isRed, grid)
        (across, down) = (quantization.columnsPerColour, quantization.rowsPerColour)
        columns = (pixels.width + across - 1) / across
        rows = (pixels.height + down - 1) / down
        isCut = [Bool](repeating: false, count: columns * rows)
    }

    /// The other picture's samples, smoothed as a decoder smooths colour, less those of this one.
    mutating func difference(from other: Pixels) -> [Float] {
        own = means(pixels, noting: true)
        var theirs = means(other, noting: false)
        if across > 1 { smooth(&theirs, step: 1, lines: rows, length: columns, stride: columns) }
        if down > 1 { smooth(&theirs, step: columns, lines: columns, length: rows, stride: 1) }
        for index in theirs.indices { theirs[index] -= own[index] }
        return theirs
    }

    private mutating func means(_ picture: Pixels, noting: Bool) -> [Float] {
        var sums = [Float](repeating: 0, count: columns * rows)
        var counts = [Float](repeating: 0, count: columns * rows)
        // The samples that lack pixels stand where the stored picture ends.
        let (left, top) = (
            grid.isFromRight ? columns * across - picture.width : 0,
            grid.isFromBottom ? rows * down - picture.height : 0
        )
        for row in 0..<picture.height {
            let line = picture.bytes + row * picture.width * 3
            let start = (row + top) / down * columns
            for column in 0..<picture.width {
                let (red, green, blue) = (line[column * 3], line[column * 3 + 1], line[column * 3 + 2])
                let luma = 0.299 * Float(red) + 0.587 * Float(green) + 0.114 * Float(blue)
                let index = start + (column + left) / across
                sums[index] += isRed ? 0.713 * (Float(red) - luma) : 0.564 * (Float(blue) - luma)
                counts[index] += 1
                if noting, min(red, green, blue) == 0 || max(red, green, blue) == 255 { isCut[index] = true }
            }
        }
        for index in sums.indices { sums[index] /= max(1, counts[index]) }
        return sums
    }

    /// A decoder mixes each sample with its neighbours before it spreads it over its pixels; their mean is this.
    private func smooth(_ samples: inout [Float], step: Int, lines: Int, length: Int, stride: Int) {
        samples.withUnsafeMutableBufferPointer { samples in
            for line in 0..<lines {
                let start = line * stride
                var before = samples[start]
                for place in 0..<length {
                    let index = start + place * step
                    let here = samples[index]
                    let after = place + 1 < length ? samples[index + step] : here
                    samples[index] = (before + 6 * here + after) / 8
                    before = here
                }
            }
        }
    }
}
