import Media

/// How far one picture is from what an encoder makes of another one, as large, where it is farthest: 1 for the most that
/// encoding does.
///
/// An encoder keeps each coefficient of a block of 8 × 8 pixels to the nearest of its steps, so that what it makes is never
/// farther from its picture than half a step, and a little for rounding; a digit, a face, the noise of another exposure
/// are. Where light or colour is cut off at black or white, and at edges, a decoder shows less than an encoder kept:
/// such blocks may be farther.
struct BlockDifference {
    let first: Pixels
    let second: Pixels
    /// Of the second picture.
    let quantization: JPEGQuantization
    let grid: BlockGrid
    /// Whether the first one was made smaller, in a way that nobody knows exactly.
    let isScaled: Bool

    /// More is not told apart.
    static let most = 8.0

    // Measured on pairs of photos, documents and drawings, see Tests/ImagingTests/CopyTests.
    private static let rounding: Float = 1.5
    private static let cutOff: Float = 6
    private static let oneTone: Float = 12
    private static let mostSteps: Float = 0.9
    private static let mostExcess: Float = 1.4
    private static let mostCutExcess: Float = 2.5
    private static let mostScaledCutExcess: Float = 1.75
    private static let mostLocal: Float = 1.05
    /// In levels of brightness.
    private static let mostScaledBlur: Float = 3
    private static let mostColour: Float = 0.9
    private static let mostCutColour: Float = 2.2
    private static let resampling: Float = 0.03
    /// What is left of what blocks may differ by where the first picture was made smaller, and with it what tells two apart.
    private static let scaledPart: Float = 0.75
    /// Programs place samples of colour in several ways, which shows where colours change.
    private static let placement: Float = 0.25
    /// No encoder is trusted to leave out more than libjpeg does at this quality.
    private static let coarsest = JPEGQuantization(quality: 60)

    func ratio() -> Double {
        var ratio = brightness()
        for plane in [ColourPlane.blue, .red] where Double(ratio) < Self.most { ratio = max(ratio, colour(plane)) }
        return Double(ratio)
    }

    // MARK: Brightness

    private static let bandRows = 64
    /// Around a band, for what looks at neighbours.
    private static let margin = 8

    /// The luma of rows of both pictures, their difference, and whether one of the second's samples is cut off.
    private struct Band {
        let rows: Range<Int>
        let width: Int
        var first: [Float]
        var second: [Float]
        var isCut: [Bool]

        init(_ one: Pixels, _ other: Pixels, _ rows: Range<Int>) {
            self.rows = rows
            width = one.width
            let count = rows.count * one.width
            first = [Float](repeating: 0, count: count)
            second = first
            isCut = [Bool](repeating: false, count: count)
            let start = rows.lowerBound * one.width * 3
            Self.fill(&first, from: one.bytes + start)
            Self.fill(&second, from: other.bytes + start)
            let bytes = other.bytes + start
            isCut.withUnsafeMutableBufferPointer { isCut in
                for index in 0..<count {
                    let (red, green, blue) = (bytes[index * 3], bytes[index * 3 + 1], bytes[index * 3 + 2])
                    isCut[index] = min(red, green, blue) == 0 || max(red, green, blue) == 255
                }
            }
        }

        private static func fill(_ luma: inout [Float], from bytes: UnsafePointer<UInt8>) {
            luma.withUnsafeMutableBufferPointer { luma in
                for index in luma.indices {
                    luma[index] =
                        0.299 * Float(bytes[index * 3]) + 0.587 * Float(bytes[index * 3 + 1])
                        + 0.114 * Float(bytes[index * 3 + 2])
                }
            }
        }
    }

    private func brightness() -> Float {
        let steps = zip(quantization.brightness, Self.coarsest.brightness).map { Float(min($0, $1)) }
        let noise = (steps.reduce(0) { $0 + $1 * $1 } / 12).squareRoot() / 8
        var transform = BlockTransform()
        let height = second.height
        let offset = grid.isFromBottom ? height % 8 : 0
        var ratio: Float = 0
        // Bands begin where blocks do.
        for top in stride(from: offset == 0 ? 0 : offset - 8, to: height, by: Self.bandRows) {
            let rows = max(0, top)..<min(height, top + Self.bandRows)
            let wide = max(0, rows.lowerBound - Self.margin)..<min(height, rows.upperBound + Self.margin)
            let band = Band(first, second, wide)
            ratio = max(ratio, local(band, rows, noise))
            for start in stride(from: top, to: rows.upperBound, by: 8) where ratio < Float(Self.most) {
                ratio = max(ratio, excess(band, start, steps, &transform) / (isScaled ? Self.scaledPart : 1))
            }
            if ratio >= Float(Self.most) { break }
        }
        return ratio
    }

    /// Of a row of blocks.
    private func excess(_ band: Band, _ top: Int, _ steps: [Float], _ transform: inout BlockTransform) -> Float {
        let width = band.width
        let offset = grid.isFromRight ? width % 8 : 0
        let leastHalf = (steps.min() ?? 1) / 2 + Self.rounding
        var most: Float = 0
        for left in stride(from: offset == 0 ? 0 : offset - 8, to: width, by: 8) {
            let (columns, rows) = (
                max(0, left)..<min(width, left + 8), max(band.rows.lowerBound, top)..<min(band.rows.upperBound, top + 8)
            )
            var (power, isCut) = (Float(0), columns.count < 8 || rows.count < 8)
            var activity = Activity()
            transform.clear()
            for row in rows {
                for column in columns {
                    let index = (row - band.rows.lowerBound) * width + column
                    let (one, other) = (band.first[index], band.second[index])
                    let difference = one - other
                    transform.samples[(row - top) * 8 + column - left] = difference
                    power += difference * difference
                    isCut = isCut || band.isCut[index]
                    activity.add(one, other)
                }
            }
            // No coefficient has more than all of them.
            guard power > leastHalf * leastHalf else { continue }
            transform.run()
            // In a block of one tone nothing swings beyond black or white.
            isCut = isCut && activity.leastDeviation > Self.oneTone
            let slack = isCut ? Self.cutOff : Self.rounding
            let blur = isScaled ? Self.resampling * activity.leastDeviation : 0
            var (sum, farthest): (Float, Float) = (0, 0)
            for place in 0..<64 {
                let half = steps[place] / 2 + slack
                let frequency = 0.3 + Float(place / 8 + place % 8) / 14
                let over = max(0, abs(transform.coefficients[place]) - half - blur * frequency) / half
                sum += over * over
                farthest = max(farthest, (abs(transform.coefficients[place]) - 2 * Self.rounding) / steps[place])
            }
            if !isCut, !isScaled { most = max(most, farthest / Self.mostSteps) }
            let limit = isScaled ? Self.mostScaledCutExcess : Self.mostCutExcess
            most = max(most, sum.squareRoot() / (isCut ? limit : Self.mostExcess))
        }
        return most
    }

    /// How much there is to be seen in a block, of the picture in which it is less.
    private struct Activity {
        private var count: Float = 0
        private var sums: (Float, Float) = (0, 0)
        private var squares: (Float, Float) = (0, 0)

        mutating func add(_ one: Float, _ other: Float) {
            count += 1
            sums = (sums.0 + one, sums.1 + other)
            squares = (squares.0 + one * one, squares.1 + other * other)
        }

        var leastDeviation: Float {
            max(0, min(squares.0 - sums.0 * sums.0 / count, squares.1 - sums.1 * sums.1 / count)).squareRoot()
        }
    }

    /// Where a few pixels differ together: by more than noise, or than edges beside them that a decoder may blur.
    private func local(_ band: Band, _ rows: Range<Int>, _ noise: Float) -> Float {
        let (width, start) = (band.width, band.rows.lowerBound)
        let edges = EdgeGrid(band.first, band.second, width: width)
        var most: Float = 0
        band.first.withUnsafeBufferPointer { first in
            band.second.withUnsafeBufferPointer { second in
                for row in rows {
                    let above = max(band.rows.lowerBound, row - 1) - start
                    let (here, below) = (row - start, min(band.rows.upperBound - 1, row + 1) - start)
                    var (before, middle): (Float, Float) = (0, 0)
                    for column in 0...width {
                        // The sum of a column of three, of the next one where there is one.
                        var next = middle
                        if column < width {
                            next = 0
                            for line in [above, here, below] {
                                next += first[line * width + column] - second[line * width + column]
                            }
                        }
                        if column > 0 {
                            let mean = abs((column == 1 ? middle : before) + middle + next) / 9
                            if mean > most * (noise * 0.6 + 2) {
                                // Making it smaller blurs edges, too, and a faint stroke between strong ones is lost in
                                // what that may take: less is granted then.
                                let blur = 0.1 * edges.strength(row: here, column: column - 1)
                                let granted = isScaled ? min(blur, Self.mostScaledBlur) : blur
                                most = max(most, mean / (noise * 0.6 + 2 + granted))
                            }
                        }
                        (before, middle) = (middle, next)
                    }
                }
            }
        }
        return most / Self.mostLocal
    }

    // MARK: Colour

    private enum ColourPlane { case blue, red }

    private func colour(_ plane: ColourPlane) -> Float {
        let coarsest = Self.coarsest.colour ?? []
        // Without a plane of its own, a grey picture has no colour at all.
        let own = quantization.colour ?? JPEGQuantization.Steps(repeating: 1, count: 64)
        let steps = zip(own, coarsest).map { Float(min($0, $1)) }
        var samples = ColourSamples(second, plane == .red, quantization, grid)
        let difference = samples.difference(from: first)
        var transform = BlockTransform()
        var most: Float = 0
        let (columns, rows) = (samples.columns, samples.rows)
        let (left, top) = (grid.isFromRight ? columns % 8 : 0, grid.isFromBottom ? rows % 8 : 0)
        for blockTop in stride(from: top == 0 ? 0 : top - 8, to: rows, by: 8) where most < Float(Self.most) {
            for blockLeft in stride(from: left == 0 ? 0 : left - 8, to: columns, by: 8) {
                let across = max(0, blockLeft)..<min(columns, blockLeft + 8)
                let down = max(0, blockTop)..<min(rows, blockTop + 8)
                var isCut = across.count < 8 || down.count < 8
                var power: Float = 0
                var activity = Activity()
                transform.clear()
                for row in down {
                    for column in across {
                        let index = row * columns + column
                        activity.add(samples.own[index] + difference[index], samples.own[index])
                        transform.samples[(row - blockTop) * 8 + column - blockLeft] = difference[index]
                        power += difference[index] * difference[index]
                        isCut = isCut || samples.isCut[index]
                    }
                }
                let slack: Float = isCut ? 10 : 6
                guard power > slack * slack else { continue }
                transform.run()
                let blur = Self.placement * activity.leastDeviation
                // What is finer than this is not seen as colour.
                for place in [0, 1, 2, 8, 9, 16] {
                    let over = max(0, abs(transform.coefficients[place]) - slack - blur) / steps[place]
                    most = max(most, over / (isCut ? Self.mostCutColour : Self.mostColour))
                }
            }
        }
        return most
    }
}

/// Where the blocks of an upright picture begin, whose stored pixels may stand otherwise.
struct BlockGrid {
    let isFromRight: Bool
    let isFromBottom: Bool

    /// - Parameter orientation: EXIF's 1…8.
    init(orientation: Int) {
        isFromRight = [2, 3, 6, 7].contains(orientation)
        isFromBottom = [3, 4, 7, 8].contains(orientation)
    }
}

extension JPEGQuantization {
    /// That of the upright picture.
    func upright(_ orientation: Int) -> JPEGQuantization {
        guard orientation >= 5 else { return self }
        func turned(_ steps: Steps) -> Steps { (0..<64).map { steps[$0 % 8 * 8 + $0 / 8] } }
        return JPEGQuantization(
            brightness: turned(brightness), colour: colour.map(turned), columnsPerColour: rowsPerColour,
            rowsPerColour: columnsPerColour)
    }
}
