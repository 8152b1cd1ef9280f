package import Media

/// What a photo says about itself, and whether there is something to show of it.
package struct PhotoDetails: Sendable {
    package var picture: PictureState
    package var takenAt: CaptureTime?
    package var facts: MediaFacts
    /// The id of the few seconds of video that belong to the photo, where it is a Live Photo.
    package var liveVideo: String?

    init(_ photo: LibraryPhoto) {
        picture = Self.state(of: photo)
        takenAt = photo.takenAt.flatMap { CaptureTime(encoded: $0) }
        facts = photo.facts.map(FactsCoding.decode) ?? MediaFacts()
    }

    static func state(of photo: LibraryPhoto) -> PictureState { photo.picture?.state ?? .pending }
}

extension Session {
    /// Photos of one list, in which Live Photos know their videos.
    func paired(_ found: some Sequence<LibraryPhoto>) -> [Photo] {
        let pairs = LivePhotoPairing(found.map(Self.candidate)).pairs
        let videos = Dictionary(pairs.map { ($0.photo, $0.video) }) { first, _ in first }
        return found.map { row in
            var photo = photo(row)
            photo.details.liveVideo = videos[row.serial].map(handle)
            return photo
        }
    }

    /// One that may be half of a Live Photo.
    static func candidate(_ photo: LibraryPhoto) -> LivePhotoPairing<UInt64>.Candidate {
        let details = PhotoDetails(photo)
        var facts = details.facts
        facts.takenAt = details.takenAt
        return .init(id: photo.serial, name: photo.name, type: MediaType(mimeType: photo.type), facts: facts)
    }
}
