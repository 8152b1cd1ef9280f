package import Media

/// What a file beside a photo says of it.
package struct SidecarNote: Sendable, Equatable {
    /// The name of the photo as it was before an archive changed it.
    package var title: String?
    package var takenAt: CaptureTime?
    package var place: Place?
    package var caption: String?
    package var isFavourite = false
    /// It lies in the trash there.
    package var isTrashed = false
    package var isArchived = false
    package var albums: [String] = []

    package init() {}

    /// It says nothing of its photo.
    package var isSilent: Bool { self == SidecarNote() }

    /// What an export of this program calls the folder, and the list, of all hearts.
    static let favourites = "Favourites"

    /// With what another one says of the same photo, where this one is silent.
    package func joined(by other: SidecarNote) -> SidecarNote {
        var joined = self
        joined.title = title ?? other.title
        joined.takenAt = takenAt ?? other.takenAt
        joined.place = place ?? other.place
        joined.caption = caption ?? other.caption
        joined.isFavourite = isFavourite || other.isFavourite
        joined.isTrashed = isTrashed && other.isTrashed
        joined.isArchived = isArchived && other.isArchived
        joined.albums += other.albums.filter { !joined.albums.contains($0) }
        return joined
    }
}

/// What a file says that is no photo, as far as it is known here.
package enum SidecarContent: Sendable, Equatable {
    /// Of the photo beside which it lies.
    case note(SidecarNote)
    /// The same, of an editor: it is kept beside the photo, too, for it holds more than is read here.
    case edits(SidecarNote)
    /// The album that its folder is; without a name where nobody gave it one.
    case album(title: String)
    /// `Photo Details.csv` of Apple: by names of files.
    case details([AppleDetail])
    /// A list of Apple's in `Albums`: names of files.
    case albumList([String])
    /// `albums.csv` of an export of this program: names of files by album.
    case albumTable([AlbumTableRow])
    /// What accompanies photos and says nothing of them: lists of checksums, settings, pages that show an archive.
    case accompaniment
}

package struct AppleDetail: Sendable, Equatable {
    package var name: String
    package var note: SidecarNote
    package var isHidden: Bool
}

package struct AlbumTableRow: Sendable, Equatable {
    package var album: String
    package var file: String
}
