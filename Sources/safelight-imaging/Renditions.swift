import CVips
import ImagingProtocol
import Media

/// What is kept of a picture: a preview, a thumbnail, and what stands in for it until these are there.
struct Renditions {
    let preview: Rendition
    let thumbnail: Rendition
    let dominantColour: UInt32?
    let placeholder: [UInt8]?

    /// - Parameter picture: computed, upright, sRGB, no larger than a preview.
    init(of picture: VipsPicture) throws(UnreadableReason) {
        let side = Rendition.thumbnailSide(width: picture.width, height: picture.height)
        let small = try picture.shrunk(toSide: side).computed()
        preview = try RenditionEncoder(quality: 80).rendition(of: picture)
        thumbnail = try RenditionEncoder(quality: 75).rendition(of: small)
        let tiny = try small.shrunk(toSide: Placeholder.sourceSide).computed()
        let pixels = try tiny.rgba()
        dominantColour = DominantColour(rgba: pixels).value
        placeholder = Placeholder(rgba: pixels, width: tiny.width, height: tiny.height)?.bytes
    }
}
