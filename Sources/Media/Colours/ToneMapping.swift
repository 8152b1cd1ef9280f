import Glibc

/// How a picture or video for bright screens codes light.
package enum HDRCurve: Sendable {
    /// SMPTE ST 2084: absolute light up to 10,000 cd/m².
    case perceptualQuantizer
    /// ARIB STD-B67: light of the scene, shown at up to 1,000 cd/m².
    case hybridLogGamma

    /// Light of a code value from 0 to 1, where 1 is the white of paper (203 cd/m², ITU-R BT.2408); of the scene where the
    /// curve is of that kind.
    fileprivate func light(_ code: Float) -> Float {
        switch self {
        case .perceptualQuantizer:
            let power = powf(code, 1 / 78.84375)
            return powf(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125) * 10_000 / 203
        case .hybridLogGamma:
            let scene = code <= 0.5 ? code * code / 3 : (expf((code - 0.55991073) / 0.17883277) + 0.28466892) / 12
            return scene
        }
    }

    /// How much brighter a screen shows what has so much light in the scene, from 0 to 1 (ITU-R BT.2100): by all three
    /// colours' brightness together, for by each of them alone colours would become others.
    fileprivate static func gain(_ brightness: Float) -> Float { powf(brightness, 0.2) * 1000 / 203 }
}

/// Which colours samples stand for (ITU-T H.273), where no profile says it.
package struct ColourDescription: Equatable, Sendable {
    package var primaries: Int
    package var transfer: Int

    package init(primaries: Int, transfer: Int) {
        self.primaries = primaries
        self.transfer = transfer
    }

    package var curve: HDRCurve? {
        switch transfer {
        case 16: .perceptualQuantizer
        case 18: .hybridLogGamma
        default: nil
        }
    }

    /// From linear light of its primaries to that of BT.709, row by row; nil where they are those.
    fileprivate var toBT709: [Float]? {
        switch primaries {
        case 9: [1.6605, -0.5876, -0.0728, -0.1246, 1.1329, -0.0083, -0.0182, -0.1006, 1.1187]
        case 11, 12: [1.2249, -0.2247, 0, -0.0420, 1.0419, 0, -0.0197, -0.0786, 1.0979]
        default: nil
        }
    }

    /// Whether a screen that takes samples for sRGB shows it wrong.
    package var needsMapping: Bool { curve != nil || toBT709 != nil }
}

/// Brings pictures of other colours, also those for bright screens, to sRGB: dark and middle tones stay, bright ones are
/// pressed together.
package struct ToneMapping: Sendable {
    private static let steps = 4096
    private let light: [Float]
    private let code: [UInt8]
    private let matrix: [Float]
    private let isBright: Bool
    /// By brightness; empty where the curve tells the light of the screen.
    private let gains: [Float]

    package init(_ colours: ColourDescription) {
        let last = Float(Self.steps - 1)
        let curve = colours.curve
        light = (0..<Self.steps).map { index in
            let value = Float(index) / last
            return curve?.light(value) ?? (value <= 0.04045 ? value / 12.92 : powf((value + 0.055) / 1.055, 2.4))
        }
        code = (0..<Self.steps).map { index in
            let value = Float(index) / last
            let gamma = value <= 0.0031308 ? value * 12.92 : 1.055 * powf(value, 1 / 2.4) - 0.055
            return UInt8(max(0, min(255, (gamma * 255).rounded())))
        }
        matrix = colours.toBT709 ?? [1, 0, 0, 0, 1, 0, 0, 0, 1]
        isBright = curve != nil
        gains = curve == .hybridLogGamma ? (0..<Self.steps).map { HDRCurve.gain(Float($0) / last) } : []
    }

    /// - Parameters:
    ///   - wide: two bytes a sample, the lower half first.
    ///   - bands: three, or four of which the last is no colour.
    /// - Returns: One byte a sample.
    package func map(_ wide: [UInt8], bands: Int = 3) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(wide.count / 2)
        for start in stride(from: 0, to: wide.count - bands * 2 + 1, by: bands * 2) {
            // The upper twelve bits of sixteen.
            var red = light[Int(wide[start + 1]) << 4 | Int(wide[start]) >> 4]
            var green = light[Int(wide[start + 3]) << 4 | Int(wide[start + 2]) >> 4]
            var blue = light[Int(wide[start + 5]) << 4 | Int(wide[start + 4]) >> 4]
            if !gains.isEmpty {
                let brightness = 0.2627 * red + 0.6780 * green + 0.0593 * blue
                let gain = gains[Int(max(0, min(1, brightness)) * Float(Self.steps - 1))]
                (red, green, blue) = (red * gain, green * gain, blue * gain)
            }
            let colour = (
                matrix[0] * red + matrix[1] * green + matrix[2] * blue,
                matrix[3] * red + matrix[4] * green + matrix[5] * blue,
                matrix[6] * red + matrix[7] * green + matrix[8] * blue
            )
            // All three by the same factor, so that no hue changes.
            let largest = max(colour.0, colour.1, colour.2)
            let factor = isBright && largest > 0 ? Self.pressed(largest) / largest : 1
            result.append(coded(colour.0 * factor))
            result.append(coded(colour.1 * factor))
            result.append(coded(colour.2 * factor))
            if bands == 4 { result.append(wide[start + 7]) }
        }
        return result
    }

    /// Unchanged up to a knee, then ever slower towards 1; paper white comes to 0.8.
    private static func pressed(_ value: Float) -> Float {
        let knee: Float = 0.6
        guard value > knee else { return value }
        let above = (value - knee) / (1 - knee)
        return knee + (1 - knee) * above / (1 + above)
    }

    private func coded(_ value: Float) -> UInt8 {
        code[Int(max(0, min(1, value)) * Float(Self.steps - 1))]
    }
}
