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

/// Looks for a picture that shows something: videos often begin in the dark.
struct PosterSearch {
    /// Packets until a picture must have come; without key pictures a decoder may want many.
    private static let packetLimit = 600
    /// Pictures decoded one after another where no key picture is bright.
    private static let frameLimit = 150

    let file: VideoFile

    /// The first picture that is not dark, else the brightest that was met; nil if none could be decoded.
    func poster() throws(UnreadableReason) -> Poster? {
        var best: Poster?
        file.decodesKeyPicturesOnly = true
        for seconds in moments() {
            file.seek(seconds: seconds)
            guard let found = try next() else { continue }
            if !found.isDark { return found }
            best = Self.brighter(best, found)
        }
        file.decodesKeyPicturesOnly = false
        file.seek(seconds: 0)
        for _ in 0..<Self.frameLimit {
            guard let found = try next() else { break }
            if !found.isDark { return found }
            best = Self.brighter(best, found)
        }
        return best
    }

    /// About a second after the beginning, or a tenth of a short video; then ever later.
    private func moments() -> [Double] {
        guard let seconds = file.seconds else { return [1, 0] }
        return [min(1, seconds / 10), seconds / 10, seconds / 4, seconds / 2]
    }

    private func next() throws(UnreadableReason) -> Poster? {
        guard let frame = try file.nextFrame(packetLimit: Self.packetLimit) else { return nil }
        return try Poster(frame)
    }

    private static func brighter(_ one: Poster?, _ other: Poster) -> Poster {
        guard let one, one.brightness >= other.brightness else { return other }
        return one
    }
}

/// A decoded picture, with a first look at how bright it is.
struct Poster {
    let frame: VideoFrame
    /// 0…255, the mean of a small copy.
    let brightness: Int
    /// Nothing to be recognised: black, or nearly black with little in it.
    let isDark: Bool

    private static let sampleSide = 32

    init(_ frame: VideoFrame) throws(UnreadableReason) {
        self.frame = frame
        let sample = try FrameConversion(frame, longestSide: Self.sampleSide).picture()
        let greens = stride(from: 1, to: sample.bytes.count, by: 3).map { Int(sample.bytes[$0]) }
        brightness = greens.reduce(0, +) / max(1, greens.count)
        isDark = brightness < 24 && (greens.max() ?? 0) < 96
    }
}
