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
