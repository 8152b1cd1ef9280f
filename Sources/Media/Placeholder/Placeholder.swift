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
