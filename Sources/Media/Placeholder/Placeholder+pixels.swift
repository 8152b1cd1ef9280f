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
