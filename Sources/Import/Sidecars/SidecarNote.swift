package import Media

/// What a file beside a photo says of it.
package struct SidecarNote: Sendable, Equatable {
    /// The name of the photo as it was before an archive changed it.
    package var title: String?
    package var takenAt: CaptureTime?
    package var place: Place?
    /// Somebody may have put the date right there, so that it comes before the photo's own. A moment of an upload is none.
    package var correctsTime = false
    package var correctsPlace = false
    package var caption: String?
    package var isFavourite = false
    /// It lies in the trash there.
    package var isTrashed = false
    /// It is kept out of the timeline there: in the archive, or hidden.
    package var isArchived = false
    package var albums: [String] = []
    /// The part of the picture that is shown there; nil for all of it.
    package var crop: XMPCrop?
    /// It has keywords of a person, which are not kept.
    package var hasKeywords = false

    package init() {}

    /// It says nothing of its photo.
    package var isSilent: Bool { self == SidecarNote() }

    /// What an export of this program calls the folder, and the list, of all hearts.
    static let favourites = "Favourites"

    /// With what another one says of the same photo, where this one is silent.
    package func joined(by other: SidecarNote) -> SidecarNote {
        var joined = self
        joined.title = title ?? other.title
        if takenAt == nil { (joined.takenAt, joined.correctsTime) = (other.takenAt, other.correctsTime) }
        if place == nil { (joined.place, joined.correctsPlace) = (other.place, other.correctsPlace) }
        joined.caption = caption ?? other.caption
        joined.crop = crop ?? other.crop
        joined.isFavourite = isFavourite || other.isFavourite
        joined.isTrashed = isTrashed && other.isTrashed
        joined.isArchived = isArchived || other.isArchived
        joined.albums += other.albums.filter { !joined.albums.contains($0) }
        joined.hasKeywords = hasKeywords || other.hasKeywords
        return joined
    }

    /// The same, said by somebody who may mean another photo, or that no person has put right: the photo's own word leads.
    func leadingNothing() -> SidecarNote {
        var note = self
        (note.correctsTime, note.correctsPlace) = (false, false)
        return note
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
    /// Of files elsewhere in the export.
    case list([ListedNote])
    /// What accompanies photos and says nothing of them: lists of checksums, settings, pages that show an archive.
    case accompaniment
    /// It was not understood, and may say something of photos.
    case unread(UnreadSidecar)
}

package struct AppleDetail: Sendable, Equatable {
    package var name: String
    package var note: SidecarNote
    /// Its date is there in a form that is not known here, or the list breaks off within it.
    package var isPartial = false
}

/// What a list says of one file.
package struct ListedNote: Sendable, Equatable {
    package var file: ListedFile
    package var note: SidecarNote
}

/// How a list of another place calls a file.
package enum ListedFile: Sendable, Hashable {
    /// Its path within the export.
    case path(String)
    /// Flickr's number of a photo, which stands in its name.
    case flickr(String)
    /// Snapchat's: what stands in the link by which it could be fetched, the day in its name, and its kind.
    case snap(link: String, day: String, isVideo: Bool)
}

/// A file that may say something of photos.
package struct UnreadSidecar: Sendable, Equatable {
    /// Why its content could not be taken apart; nil where it could, and is not known here.
    package var problem: String?
    /// What may be names of photos in it, in small letters and without folders.
    package var names: Set<String> = []
}

package struct AlbumTableRow: Sendable, Equatable {
    package var album: String
    package var file: String
}
