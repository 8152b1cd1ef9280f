import Media

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
