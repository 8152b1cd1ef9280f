import Media
import Vault

extension Session.Photos {
    /// Photos of one list, in which Live Photos know their videos, and pictures the raw files of the same shots.
    /// - Parameter neighbours: those that stand before and behind them, among which the other half may be.
    func paired(
        _ found: some Collection<LibraryPhoto>, between neighbours: ([LibraryPhoto], [LibraryPhoto]) = ([], [])
    ) -> [Photo] {
        var photos = found.map(session.photo)
        // What the neighbours say need not be read for pictures alone.
        let hasOther =
            found.contains(where: \.mayGoAlong) || neighbours.0.contains(where: \.mayGoAlong)
            || neighbours.1.contains(where: \.mayGoAlong)
        guard hasOther else { return photos }
        let own = zip(found, photos).map { Self.candidate($0, $1.details) }
        let candidates = neighbours.0.map(Self.candidate) + own + neighbours.1.map(Self.candidate)
        let pairing = LivePhotoPairing(candidates)
        let videos = Dictionary(pairing.pairs.map { ($0.photo, $0.video) }) { first, _ in first }
        for (index, row) in found.enumerated() {
            photos[index].details.liveVideo = videos[row.serial].map(session.handle)
            photos[index].details.raw = pairing.raws[row.serial].map(session.handle)
        }
        return photos
    }

    /// One that may be half of a Live Photo.
    static func candidate(_ photo: LibraryPhoto) -> LivePhotoPairing<UInt64>.Candidate {
        candidate(photo, PhotoDetails(photo))
    }

    private static func candidate(
        _ photo: LibraryPhoto, _ details: PhotoDetails
    ) -> LivePhotoPairing<UInt64>.Candidate {
        var facts = details.facts
        facts.takenAt = details.takenAt
        return .init(
            id: photo.serial, name: photo.name, type: MediaType(mimeType: photo.type), facts: facts,
            shot: photo.shot(details))
    }
}

extension LibraryPhoto {
    /// Whether it may be the other half of a picture.
    fileprivate var mayGoAlong: Bool { isVideo || MediaType(mimeType: type).isRaw }
}
