import ImagingProtocol
import Media

/// Looks into one video: what it says about itself, and one of its pictures.
struct VideoJob {
    let type: MediaType
    let source: any ByteSource
    let limits: ImagingLimits

    /// A video of which no picture can be shown still tells its facts; only one that exceeds limits is refused.
    func result() throws(UnreadableReason) -> JobResult {
        guard type.isVideo else { throw .unknownFormat }
        let facts = (try? MediaFacts(reading: source, type: type)) ?? MediaFacts()
        do throws(UnreadableReason) {
            return JobResult(facts: facts, poster: try poster(orientation: facts.orientation))
        } catch .nothingToShow, .unknownFormat {
            return JobResult(facts: facts)
        } catch .damaged {
            return JobResult(facts: facts, isDamaged: true)
        }
    }

    private func poster(orientation: Int) throws(UnreadableReason) -> [UInt8] {
        let file = try VideoFile(source, type: type, limits: limits)
        guard let found = try PosterSearch(file: file).poster() else { throw .damaged }
        let picture = try FrameConversion(found.frame, longestSide: Rendition.previewSide).picture()
        return try JPEGEncoder.encode(picture.upright(orientation: orientation))
    }
}
