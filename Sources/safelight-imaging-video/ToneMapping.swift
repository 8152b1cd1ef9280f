import CFFmpeg
import Glibc

/// How a video for bright screens codes light.
enum HDRCurve {
    /// SMPTE ST 2084: absolute light up to 10,000 cd/m².
    case perceptualQuantizer
    /// ARIB STD-B67: light of the scene, shown at up to 1,000 cd/m².
    case hybridLogGamma

    /// Nil for curves of ordinary screens.
    init?(_ transfer: AVColorTransferCharacteristic) {
        switch transfer {
        case AVCOL_TRC_SMPTE2084: self = .perceptualQuantizer
        case AVCOL_TRC_ARIB_STD_B67: self = .hybridLogGamma
        default: return nil
        }
    }

    /// Light of a code value from 0 to 1, where 1 is the white of paper (203 cd/m², ITU-R BT.2408).
    func light(_ code: Float) -> Float {
        switch self {
        case .perceptualQuantizer:
            let power = powf(code, 1 / 78.84375)
            return powf(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125) * 10_000 / 203
        case .hybridLogGamma:
            let scene = code <= 0.5 ? code * code / 3 : (expf((code - 0.55991073) / 0.17883277) + 0.28466892) / 12
            return powf(scene, 1.2) * 1000 / 203
        }
    }
}

/// Brings BT.2020 pictures for bright screens to sRGB: dark and middle tones stay, bright ones are pressed together.
struct ToneMapping {
    private static let steps = 4096
    private let light: [Float]
    private let code: [UInt8]

    init(_ curve: HDRCurve) {
        let last = Float(Self.steps - 1)
        light = (0..<Self.steps).map { curve.light(Float($0) / last) }
        code = (0..<Self.steps).map { index in
            let value = Float(index) / last
            let gamma = value <= 0.0031308 ? value * 12.92 : 1.055 * powf(value, 1 / 2.4) - 0.055
            return UInt8(max(0, min(255, (gamma * 255).rounded())))
        }
    }

    /// - Parameter wide: Six bytes a pixel, the lower half of a sample first.
    /// - Returns: Three bytes a pixel.
    func map(_ wide: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(wide.count / 2)
        for start in stride(from: 0, to: wide.count - 5, by: 6) {
            // The upper twelve bits of sixteen.
            let red = light[Int(wide[start + 1]) << 4 | Int(wide[start]) >> 4]
            let green = light[Int(wide[start + 3]) << 4 | Int(wide[start + 2]) >> 4]
            let blue = light[Int(wide[start + 5]) << 4 | Int(wide[start + 4]) >> 4]
            // BT.2020 to BT.709 primaries.
            let colour = (
                1.6605 * red - 0.5876 * green - 0.0728 * blue, -0.1246 * red + 1.1329 * green - 0.0083 * blue,
                -0.0182 * red - 0.1006 * green + 1.1187 * blue
            )
            // All three by the same factor, so that no hue changes.
            let largest = max(colour.0, colour.1, colour.2)
            let factor = largest > 0 ? Self.pressed(largest) / largest : 0
            result.append(coded(colour.0 * factor))
            result.append(coded(colour.1 * factor))
            result.append(coded(colour.2 * factor))
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
