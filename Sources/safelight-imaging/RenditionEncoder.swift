import CVips
import ImagingProtocol
import Media

/// Encodes a picture as WebP, or as JPEG where that is smaller and nothing is transparent.
struct RenditionEncoder {
    let quality: Int
    /// WebP's effort, of 0…6: more takes longer and saves little.
    private static let effort: CInt = 2
    private static let leastQuality = 20

    func rendition(of picture: VipsPicture) throws(UnreadableReason) -> Rendition {
        var quality = quality
        while true {
            let (type, bytes) = try smallest(picture, CInt(quality))
            if bytes.count <= Rendition.byteLimit {
                return Rendition(bytes: bytes, type: type, width: picture.width, height: picture.height)
            }
            // Noise: no picture of this size takes so much otherwise.
            guard quality > Self.leastQuality else { throw .tooMuchMemory }
            quality -= 20
        }
    }

    private func smallest(_ picture: VipsPicture, _ quality: CInt) throws(UnreadableReason) -> (MediaType, [UInt8]) {
        let encoded = try picture.encoded { cvips_webp($0, &$1, &$2, quality, Self.effort) }
        guard let webP = WebPContainer(encoded)?.stripped else { throw .damaged }
        guard !picture.hasAlpha else { return (.webp, webP) }
        let jpeg = try picture.encoded { cvips_jpeg($0, &$1, &$2, quality) }
        return jpeg.count < webP.count ? (.jpeg, jpeg) : (.webp, webP)
    }
}
