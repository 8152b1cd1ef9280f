import ImagingProtocol
import Media

/// Looks into one video: what it says about itself, and one of its pictures.
struct VideoJob {
    let type: MediaType
    let source: any ByteSource
    let limits: ImagingLimits

    /// A video of which no picture can be shown still tells its facts.
    /// - Parameter tell: gets what the file says, before it is decoded.
    func result(telling tell: (MediaFacts) -> Void) throws(UnreadableReason) -> JobResult {
        guard type.isVideo else { throw .unknownFormat }
        var facts = (try? MediaFacts(reading: source, type: type)) ?? MediaFacts()
        tell(facts)
        do throws(UnreadableReason) {
            let file = try VideoFile(source, type: type, limits: limits)
            facts.duration = facts.duration ?? file.seconds.map { .milliseconds(Int64(min($0, 1e9) * 1000)) }
            if facts.width == nil, let size = file.size { (facts.width, facts.height) = (size.width, size.height) }
            if let creation = file.creation { facts.take(creation: creation) }
            return JobResult(facts: facts, poster: try poster(of: file, orientation: facts.orientation))
        } catch .nothingToShow, .unknownFormat {
            return JobResult(facts: facts)
        } catch .damaged {
            return JobResult(facts: facts, isDamaged: true)
        } catch {
            guard facts != MediaFacts() else { throw error }
            return JobResult(facts: facts, unreadable: error)
        }
    }

    private func poster(of file: VideoFile, orientation: Int) throws(UnreadableReason) -> [UInt8] {
        guard let found = try PosterSearch(file: file).poster() else { throw .damaged }
        let picture = try FrameConversion(found.frame, longestSide: Rendition.previewSide).picture()
        return try JPEGEncoder.encode(picture.upright(orientation: orientation))
    }
}
