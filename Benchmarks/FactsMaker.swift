import Content
import Imaging
import ImagingProtocol
import Media
import Synchronization

/// Says of every file what a phone's photo says, without a picture.
final class FactsMaker: PictureMaker {
    private let count: Int
    private let seen = Atomic(0)
    private let (done, continuation) = AsyncStream.makeStream(of: Void.self)

    init(count: Int) { self.count = count }

    func look(
        into source: any ImagingSource, as type: MediaType, of owner: [UInt8], for requester: PictureRequester,
        isAwaited: Bool
    ) async throws(ImagingError) -> Examination {
        let number = seen.add(1, ordering: .relaxed).newValue
        if number == count { continuation.finish() }
        var facts = MediaFacts()
        (facts.width, facts.height, facts.orientation) = (4032, 3024, 6)
        (facts.cameraMake, facts.cameraModel) = ("Apple", "iPhone 15 Pro")
        facts.lens = "iPhone 15 Pro back triple camera 6.765mm f/1.78"
        facts.place = Place(latitude: 48.1 + Double(number) / 1e6, longitude: 11.5, altitude: 519)
        facts.takenAt = CaptureTime(
            milliseconds: 1_600_000_000_000 + Int64(number) * 600_000, offsetMinutes: 120, isInstant: true,
            source: .exifWithOffset)
        facts.dominantColour = 0x8060A0
        facts.placeholder = [UInt8](repeating: 7, count: 24)
        return Examination(facts: facts, unreadable: .nothingToShow)
    }

    /// Nothing has pixels here.
    func compare(
        _ copy: (source: any ImagingSource, type: MediaType), with best: (source: any ImagingSource, type: MediaType),
        of owner: [UInt8], for requester: PictureRequester
    ) async throws(ImagingError) -> PictureDifference { .most }

    var readsWords: Bool { false }

    func words(
        in picture: [UInt8], as type: MediaType, of owner: [UInt8], for requester: PictureRequester
    ) async throws(ImagingError) -> PictureWords { PictureWords() }

    func forget(_ owner: [UInt8]) {}

    func waitUntilAllWereSeen() async {
        for await _ in done {}
    }
}
