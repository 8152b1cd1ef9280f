import CVips
import ImagingProtocol
import Media

/// Looks into one picture.
struct PictureJob {
    let type: MediaType
    let source: any ByteSource
    let limits: ImagingLimits

    func result() throws(UnreadableReason) -> JobResult {
        guard type.isPicture else { throw .unknownFormat }
        var facts = (try? MediaFacts(reading: source, type: type)) ?? MediaFacts()
        let range = 0..<source.byteCount
        let decoding = Decoding(source: PictureSource(source, range: range), limits: limits)
        let picture = try decoding.picture()
        facts.width = picture.width
        facts.height = picture.height
        let renditions = try Renditions(of: picture.preview)
        facts.dominantColour = renditions.dominantColour
        facts.placeholder = renditions.placeholder
        return JobResult(
            facts: facts, thumbnail: renditions.thumbnail, preview: renditions.preview, isDamaged: picture.isDamaged)
    }
}
