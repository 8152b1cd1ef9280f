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
        let photos = found.map(photo)
        let pairs = LivePhotoPairing(
            photos.map { photo in
                var facts = photo.details.facts
                facts.takenAt = photo.details.takenAt
                return .init(id: photo.id, name: photo.name, type: MediaType(mimeType: photo.type), facts: facts)
            }
        ).pairs
        guard !pairs.isEmpty else { return photos }
        let videos = Dictionary(pairs.map { ($0.photo, $0.video) }) { first, _ in first }
        return photos.map { photo in
            var photo = photo
            photo.details.liveVideo = videos[photo.id]
            return photo
        }
    }
}
