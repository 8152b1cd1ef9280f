package import Media
package import Records

/// What a photo says about itself, and whether there is something to show of it.
package struct PhotoDetails: Sendable {
    package var picture: PictureState
    package var takenAt: CaptureTime?
    package var facts: MediaFacts
    /// The id of the few seconds of video that belong to the photo, where it is a Live Photo.
    package var liveVideo: String?
    /// Known only of a photo that was asked for by itself.
    package var sidecars: [Photo] = []

    package init(_ photo: LibraryPhoto) {
        picture = Self.state(of: photo)
        takenAt = photo.takenAt.flatMap { CaptureTime(encoded: $0) }
        facts = photo.facts.map(FactsCoding.decode) ?? MediaFacts()
    }

    package static func state(of photo: LibraryPhoto) -> PictureState { photo.picture?.state ?? .pending }
}
