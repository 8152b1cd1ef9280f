package import FoundationEssentials
package import Media
package import Records

/// A photo as a session sees it.
package struct Photo: Sendable {
    /// 22 characters of base64url; of this session only, so that a browser's history matches nothing on disk.
    package var id: String
    package var name: String
    /// Media type by content.
    package var type: String
    /// Bytes of the original.
    package var byteCount: UInt64
    package var receivedAt: Date
    package var modifiedAt: Date?
    /// When it was moved to "Recently deleted".
    package var deletedAt: Date?
    /// 32 bytes; nil until it was computed.
    package var sha256: [UInt8]?
    /// Whether a browser may show it in the page's origin.
    package var servedInline: Bool
    /// When it was last read back from disk whole; nil until then.
    package var verifiedAt: Date?
    /// Whether its stored bytes failed their verification.
    package var isDamaged = false
    /// In the answer to an upload: whether the content was there before, and this is that photo. Nil while unknown.
    package var isDuplicate: Bool?
    /// The id of the photo to which it belongs, where it is a sidecar and that is there.
    package var sidecarOf: String?
    /// Whether it says something of photos, and whether it is nothing else.
    package var isUnderstood = false
    package var isHeld = false
    package var details: PhotoDetails

    package init(
        id: String, name: String, type: String, byteCount: UInt64, receivedAt: Date, modifiedAt: Date? = nil,
        deletedAt: Date? = nil, sha256: [UInt8]? = nil, servedInline: Bool, verifiedAt: Date? = nil,
        isDamaged: Bool = false, isDuplicate: Bool? = nil, sidecarOf: String? = nil, isUnderstood: Bool = false,
        isHeld: Bool = false, details: PhotoDetails
    ) {
        self.id = id
        self.name = name
        self.type = type
        self.byteCount = byteCount
        self.receivedAt = receivedAt
        self.modifiedAt = modifiedAt
        self.deletedAt = deletedAt
        self.sha256 = sha256
        self.servedInline = servedInline
        self.verifiedAt = verifiedAt
        self.isDamaged = isDamaged
        self.isDuplicate = isDuplicate
        self.sidecarOf = sidecarOf
        self.isUnderstood = isUnderstood
        self.isHeld = isHeld
        self.details = details
    }
}

/// What became of photos that were deleted for good.
package struct Removal: Sendable {
    /// How many there were. The vault has nothing of them any more, after a power cut neither.
    package let count: Int
    /// What keeps their sealed remains on the disk until the daily work has removed them; nil when nothing of them is
    /// left.
    package let obstacle: VaultError?

    package init(count: Int, obstacle: VaultError?) {
        self.count = count
        self.obstacle = obstacle
    }
}

/// One page of a list, newest first.
package struct PhotoPage: Sendable {
    package var photos: [Photo]
    /// Where the next page begins; nil at the end.
    package var cursor: String?

    package init(photos: [Photo], cursor: String? = nil) {
        self.photos = photos
        self.cursor = cursor
    }
}

/// What a photo says about itself, and whether there is something to show of it.
package struct PhotoDetails: Sendable {
    package var picture: PictureState
    package var takenAt: CaptureTime?
    package var facts: MediaFacts
    /// The id of the few seconds of video that belong to the photo, where it is a Live Photo.
    package var liveVideo: String?
    /// The id of the raw file of the same shot, where the photo is the picture that the camera made of it.
    package var raw: String?
    package var keeping: Keeping
    /// Where it came through a door.
    package var given: Given?
    /// Known only of a photo that was asked for by itself.
    package var sidecars: [Photo] = []
    package var albums: [(id: AlbumID, name: String)] = []
    /// What came of what files beside it say. Known only in the answer to whoever says it.
    package var told: ToldSidecars?

    package init(_ photo: LibraryPhoto) {
        picture = Self.state(of: photo)
        takenAt = photo.takenAt.flatMap { CaptureTime(encoded: $0) }
        facts = photo.facts.map(FactsCoding.decode) ?? MediaFacts()
        keeping = photo.keeping
        given = photo.given
    }

    package static func state(of photo: LibraryPhoto) -> PictureState { photo.picture?.state ?? .pending }
}
