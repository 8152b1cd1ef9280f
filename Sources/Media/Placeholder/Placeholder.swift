/// A picture in 25 bytes, shown until its thumbnail is there: a few cosine coefficients of its brightness and fewer of
/// its two colour differences.
///
/// | byte | holds |
/// | --- | --- |
/// | 0 | width : height, as 128 + 32 · log₂ |
/// | 1 | bit 7: partly transparent; bits 0…6: largest brightness coefficient, in 127ths |
/// | 2, 3 | largest coefficient of blue and red difference, in 255ths |
/// | 4, 5, 6 | mean brightness, blue and red difference (the last two plus 128) |
/// | 7…19 | 26 brightness coefficients of 4 bits, the higher half of a byte first |
/// | 20…24 | 5 coefficients of blue, then 5 of red difference |
///
/// A coefficient of 4 bits is 8 + 7 · value / largest. Colours are those of JPEG (BT.601, full range) on sRGB samples.
/// `www/js/photos/placeholder.js` draws it.
package struct Placeholder: Equatable, Sendable {
    /// Longest side of the picture that it is made from, and of the one that it is drawn as.
    package static let sourceSide = 32
    package static let byteCount = 25
    static let luminanceCount = 26
    static let chrominanceCount = 5

    package let bytes: [UInt8]

    /// - Parameter rgba: Rows of a picture of at most 32 × 32 pixels, four bytes a pixel, colours not multiplied by alpha.
    /// - Returns: nil if the bytes are not those of such a picture, or if nothing of it can be seen.
    package init?(rgba: [UInt8], width: Int, height: Int) {
        guard let picture = PlaceholderPicture(rgba: rgba, width: width, height: height) else { return nil }
        let aspect = Self.aspect(width: width, height: height)
        let frequencies = PlaceholderFrequencies(aspect: aspect)
        let luminance = picture.coefficients(\.luminance, frequencies.first(Self.luminanceCount))
        let blue = picture.coefficients(\.blueDifference, frequencies.first(Self.chrominanceCount))
        let red = picture.coefficients(\.redDifference, frequencies.first(Self.chrominanceCount))
        let scales = (
            Self.scale(luminance.waves, steps: 127), Self.scale(blue.waves, steps: 255),
            Self.scale(red.waves, steps: 255)
        )
        let nibbles =
            Self.nibbles(luminance.waves, largest: Double(scales.0) / 127)
            + Self.nibbles(blue.waves, largest: Double(scales.1) / 255)
            + Self.nibbles(red.waves, largest: Double(scales.2) / 255)
        bytes =
            [aspect, (picture.isTransparent ? 0x80 : 0) | scales.0, scales.1, scales.2]
            + [luminance.mean, blue.mean + 128 / 255, red.mean + 128 / 255].map { Self.byte($0 * 255) }
            + stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    private static func aspect(width: Int, height: Int) -> UInt8 {
        byte(128 + 32 * PlaceholderMath.log2(Double(width) / Double(height)))
    }

    private static func scale(_ waves: [Double], steps: Double) -> UInt8 {
        let largest = waves.map(abs).max() ?? 0
        return UInt8(min(steps, max(1, (largest * steps).rounded(.up))))
    }

    private static func nibbles(_ waves: [Double], largest: Double) -> [UInt8] {
        waves.map { UInt8(max(1, min(15, (8 + 7 * $0 / largest).rounded()))) }
    }

    private static func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
}

extension Placeholder {
    package struct Pixels: Equatable, Sendable {
        package let width: Int
        package let height: Int
        /// Opaque: a placeholder says that a picture is partly transparent, not where.
        package let rgba: [UInt8]
        package let isTransparent: Bool
    }

    /// The picture that `bytes` stand for, 32 pixels on the longer side; nil for another number of bytes.
    package static func pixels(of bytes: [UInt8]) -> Pixels? {
        guard bytes.count == byteCount else { return nil }
        let frequencies = PlaceholderFrequencies(aspect: bytes[0])
        let nibbles = bytes[7...].flatMap { [Int($0 >> 4) - 8, Int($0 & 15) - 8] }
        let channels = [
            Channel(mean: Double(bytes[4]) / 255, scale: Double(bytes[1] & 0x7F) / 127, nibbles[..<luminanceCount]),
            Channel(mean: Double(Int(bytes[5]) - 128) / 255, scale: Double(bytes[2]) / 255, nibbles[26..<31]),
            Channel(mean: Double(Int(bytes[6]) - 128) / 255, scale: Double(bytes[3]) / 255, nibbles[31..<36]),
        ].map { $0.plane(frequencies) }
        let rgba = channels[0].indices.flatMap { index in
            pixel(channels[0][index], channels[1][index], channels[2][index])
        }
        return Pixels(
            width: frequencies.width, height: frequencies.height, rgba: rgba, isTransparent: bytes[1] & 0x80 != 0)
    }

    private struct Channel {
        let mean: Double
        let coefficients: [Double]

        init(mean: Double, scale: Double, _ nibbles: ArraySlice<Int>) {
            self.mean = mean
            coefficients = nibbles.map { Double($0) / 7 * scale }
        }

        func plane(_ frequencies: PlaceholderFrequencies) -> [Double] {
            let waves = zip(frequencies.first(coefficients.count), coefficients)
            return (0..<frequencies.height).flatMap { row in
                (0..<frequencies.width).map { column in
                    waves.reduce(mean) { sum, wave in
                        let across = (2 * column + 1) * wave.0.across
                        let down = (2 * row + 1) * wave.0.down
                        return sum + wave.1 * PlaceholderMath.cosine(across, 2 * frequencies.width)
                            * PlaceholderMath.cosine(down, 2 * frequencies.height)
                    }
                }
            }
        }
    }

    private static func pixel(_ luminance: Double, _ blue: Double, _ red: Double) -> [UInt8] {
        let green = luminance - (0.114 * 1.772 * blue + 0.299 * 1.402 * red) / 0.587
        let colour = [luminance + 1.402 * red, green, luminance + 1.772 * blue]
        return colour.map { UInt8(max(0, min(255, ($0 * 255).rounded()))) } + [255]
    }
}

/// A small picture as brightness and colour differences.
struct PlaceholderPicture {
    struct Pixel {
        var luminance = 0.0
        var blueDifference = 0.0
        var redDifference = 0.0
    }

    let isTransparent: Bool
    private let pixels: [Pixel]
    private let width: Int
    private let height: Int

    /// Nil for another number of bytes than the sides say, for sides above `Placeholder.sourceSide`, and for a picture
    /// of which nothing can be seen.
    init?(rgba: [UInt8], width: Int, height: Int) {
        let sides = 1...Placeholder.sourceSide
        guard sides.contains(width), sides.contains(height), rgba.count == width * height * 4 else { return nil }
        let starts = stride(from: 0, to: rgba.count, by: 4)
        let weights = starts.map { Double(rgba[$0 + 3]) / 255 }
        let total = weights.reduce(0, +)
        guard total > 0 else { return nil }
        let colours = starts.map { start in (0..<3).map { Double(rgba[start + $0]) / 255 } }
        // What is transparent takes the mean colour of what is not.
        let mean = (0..<3).map { channel in
            zip(colours, weights).reduce(0) { $0 + $1.0[channel] * $1.1 } / total
        }
        pixels = zip(colours, weights).map { colour, weight in
            Pixel((0..<3).map { mean[$0] + (colour[$0] - mean[$0]) * weight })
        }
        isTransparent = total < Double(weights.count) - 0.5
        self.width = width
        self.height = height
    }

    /// The mean of a channel, and how much of each wave is in it.
    func coefficients(
        _ channel: KeyPath<Pixel, Double>, _ waves: [PlaceholderFrequencies.Wave]
    ) -> (mean: Double, waves: [Double]) {
        let values = pixels.map { $0[keyPath: channel] }
        let mean = values.reduce(0, +) / Double(values.count)
        let found = waves.map { wave in
            let across = (0..<width).map { PlaceholderMath.cosine((2 * $0 + 1) * wave.across, 2 * width) }
            let down = (0..<height).map { PlaceholderMath.cosine((2 * $0 + 1) * wave.down, 2 * height) }
            var sum = 0.0
            for row in 0..<height {
                for column in 0..<width { sum += values[row * width + column] * across[column] * down[row] }
            }
            let doubled = (wave.across > 0 ? 2.0 : 1) * (wave.down > 0 ? 2.0 : 1)
            // A wave that a short side cannot hold is none.
            return wave.across < width && wave.down < height ? sum * doubled / Double(values.count) : 0
        }
        return (mean, found)
    }
}

extension PlaceholderPicture.Pixel {
    fileprivate init(_ colour: [Double]) {
        luminance = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]
        blueDifference = (colour[2] - luminance) / 1.772
        redDifference = (colour[0] - luminance) / 1.402
    }
}

/// The order in which waves are kept: the longest first, measured on the picture's own shape.
struct PlaceholderFrequencies {
    struct Wave: Equatable {
        let across: Int
        let down: Int
    }

    /// The size at which a placeholder is drawn: 32 pixels on the longer side.
    let width: Int
    let height: Int

    init(aspect: UInt8) {
        let ratio = PlaceholderMath.exp2((Double(aspect) - 128) / 32)
        let side = Double(Placeholder.sourceSide)
        width = Int(max(1, (side * min(1, ratio)).rounded()))
        height = Int(max(1, (side / max(1, ratio)).rounded()))
    }

    /// The first `count` waves but the one of no frequency. Whole numbers decide, so that every decoder agrees.
    func first(_ count: Int) -> [Wave] {
        let waves = (0...count).flatMap { down in (0...count).map { Wave(across: $0, down: down) } }
        let cost = { (wave: Wave) in
            (wave.across * height) * (wave.across * height) + (wave.down * width) * (wave.down * width)
        }
        let ordered = waves.dropFirst().sorted { one, other in
            (cost(one), one.down, one.across) < (cost(other), other.down, other.across)
        }
        return Array(ordered.prefix(count))
    }
}

/// The few functions that a placeholder needs, for this target links no mathematical library of its own.
enum PlaceholderMath {
    /// Of a positive number, by repeated squaring: far more exact than a byte can hold.
    static func log2(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 0 }
        var (result, rest, bit) = (Double(value.exponent), value.significand, 0.5)
        for _ in 0..<40 {
            rest *= rest
            if rest >= 2 {
                rest /= 2
                result += bit
            }
            bit /= 2
        }
        return result
    }

    /// Two to a power between -4 and 4.
    static func exp2(_ value: Double) -> Double {
        let whole = value.rounded(.down)
        let rest = (value - whole) * 0.693_147_180_559_945_309
        let series = (1...18).reversed().reduce(1.0) { 1 + rest * $0 / Double($1) }
        return Double(sign: .plus, exponent: Int(whole), significand: series)
    }

    /// cos(π · numerator / denominator) for whole numbers, by a series on the first eighth of the circle.
    static func cosine(_ numerator: Int, _ denominator: Int) -> Double {
        let turn = ((numerator % (2 * denominator)) + 2 * denominator) % (2 * denominator)
        let half = turn > denominator ? 2 * denominator - turn : turn
        let isNegative = 2 * half > denominator
        let angle = Double.pi * Double(isNegative ? denominator - half : half) / Double(denominator)
        var (series, term) = (1.0, 10)
        while term > 0 {
            series = 1 - series * angle * angle / Double((2 * term - 1) * (2 * term))
            term -= 1
        }
        return isNegative ? -series : series
    }
}
