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

/// The colour that most of a small picture has.
struct DominantColour {
    /// 0xRRGGBB; nil if nothing is to be seen.
    let value: UInt32?

    /// Pixels are sorted into cubes of 32 levels a side; the fullest cube's mean is the colour.
    init(rgba: [UInt8]) {
        var cubes: [Int: (count: Int, red: Int, green: Int, blue: Int)] = [:]
        for start in stride(from: 0, to: rgba.count - 3, by: 4) where rgba[start + 3] >= 128 {
            let (red, green, blue) = (Int(rgba[start]), Int(rgba[start + 1]), Int(rgba[start + 2]))
            let cube = (red >> 5) << 6 | (green >> 5) << 3 | blue >> 5
            let sum = cubes[cube] ?? (0, 0, 0, 0)
            cubes[cube] = (sum.count + 1, sum.red + red, sum.green + green, sum.blue + blue)
        }
        let fullest = cubes.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
        value = fullest.map { _, sum in
            let mean = [sum.red, sum.green, sum.blue].map { UInt32($0 / sum.count) }
            return mean[0] << 16 | mean[1] << 8 | mean[2]
        }
    }
}
