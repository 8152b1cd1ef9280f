import CFFmpeg
import Media

extension HDRCurve {
    /// Nil for curves of ordinary screens.
    init?(_ transfer: AVColorTransferCharacteristic) {
        switch transfer {
        case AVCOL_TRC_SMPTE2084: self = .perceptualQuantizer
        case AVCOL_TRC_ARIB_STD_B67: self = .hybridLogGamma
        default: return nil
        }
    }
}

extension ToneMapping {
    /// Of a video for bright screens, whose primaries are those of BT.2020.
    init(_ curve: HDRCurve) {
        self.init(ColourDescription(primaries: 9, transfer: curve == .hybridLogGamma ? 18 : 16))
    }
}
