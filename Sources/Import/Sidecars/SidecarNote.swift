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
    /// What is said of it that no vault keeps, as the proof calls it: "keywords".
    package var unkept: Set<String> = []
    /// Its date and place may be those of another photo: what is surely meant takes their place.
    package var isUncertain = false

    package init() {}

    /// It says nothing of its photo.
    package var isSilent: Bool { self == SidecarNote() }

    /// What an export of this program calls the folder, and the list, of all hearts.
    static let favourites = "Favourites"

    static let otherDate = "other dates"
    static let otherPlace = "other places"
    package static let otherName = "dates in other names of theirs"
    static let doubtfulAlbum = "names of folders that may be albums"
    static let damagedWords = "signs that cannot be read"

    /// With what another one says of the same photo. Both their words are kept. Of two dates, and of two places, that differ one
    /// leads: what somebody may have put right, else the first; the other is named.
    package func joined(by other: SidecarNote) -> SidecarNote {
        if isUncertain, !other.isUncertain { return other.joined(by: self) }
        var joined = self
        joined.title = title ?? other.title
        joined.unkept.formUnion(other.unkept)
        joined.joinTime(of: other)
        joined.joinPlace(of: other)
        joined.crop = crop ?? other.crop
        joined.caption = Self.both(caption, other.caption)
        joined.isFavourite = isFavourite || other.isFavourite
        joined.isTrashed = isTrashed && other.isTrashed
        joined.isArchived = isArchived || other.isArchived
        joined.albums += other.albums.filter { !joined.albums.contains($0) }
        return joined
    }

    private mutating func joinTime(of other: SidecarNote) {
        guard let told = other.takenAt else { return }
        let isSure = !other.isUncertain || isUncertain
        if isSure, takenAt?.isAnotherDay(than: told) == true { unkept.insert(Self.otherDate) }
        guard takenAt == nil || (isSure && other.correctsTime && !correctsTime) else { return }
        (takenAt, correctsTime) = (told, other.correctsTime)
        isUncertain = isUncertain || other.isUncertain
    }

    private mutating func joinPlace(of other: SidecarNote) {
        guard let told = other.place else { return }
        let isSure = !other.isUncertain || isUncertain
        if isSure, place?.isElsewhere(than: told) == true { unkept.insert(Self.otherPlace) }
        guard place == nil || (isSure && other.correctsPlace && !correctsPlace) else { return }
        (place, correctsPlace) = (told, other.correctsPlace)
        isUncertain = isUncertain || other.isUncertain
    }

    /// Words of two places, each once, one under the other.
    package static func both(_ one: String?, _ other: String?) -> String? {
        guard let one, let other else { return one ?? other }
        return has(one, other) ? one : has(other, one) ? other : "\(one)\n\(other)"
    }

    /// A caption that stands, and under it the lines of another one that it does not have: told again, they add nothing.
    package static func growing(_ caption: String, by other: String) -> String {
        func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
        let known = Set(lines(caption))
        return ([caption[...]] + lines(other).filter { !known.contains($0) }).joined(separator: "\n")
    }

    /// Whether a caption has all of another one, in lines of their own: a name within another one is not said by it.
    static func has(_ caption: String, _ other: String) -> Bool {
        Array("\n\(caption)\n".utf8).contains(Array("\n\(other)\n".utf8))
    }

    /// What it says of when and where, of a photo that is called after the one of which it speaks.
    func asGuess() -> SidecarNote {
        var guess = SidecarNote()
        (guess.takenAt, guess.place) = (takenAt, place)
        guess.isUncertain = takenAt != nil || place != nil
        return guess
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
    /// The album that its folder is, without a name where nobody gave it one; and what is said of it that no vault keeps.
    case album(title: String, unkept: Set<String> = [])
    /// `Photo Details.csv` of Apple: by names of files.
    case details([AppleDetail])
    /// A list of Apple's in `Albums`: names of files.
    case albumList([String])
    /// `albums.csv` of an export of this program: names of files by album.
    case albumTable([AlbumTableRow])
    /// Of files elsewhere in the export; and where in it words stand that were not taken over.
    case list([ListedNote], unread: Set<String> = [])
    /// What accompanies photos and says nothing of them: lists of checksums, settings, pages that show an archive.
    case accompaniment
    /// It was not understood, and may say something of photos.
    case unread(UnreadSidecar)
}

package struct AppleDetail: Sendable, Equatable {
    package var name: String
    package var note: SidecarNote
    /// Columns in which something is said that was not understood.
    package var unread: Set<String> = []
}

/// What a list says of one file.
package struct ListedNote: Sendable, Equatable {
    package var file: ListedFile
    package var note: SidecarNote
    package var albums: [ListedAlbum] = []
    /// Flickr's, which is a caption unless the file is called so.
    package var title: String?
}

/// An album of another place; two of them may have one title.
package struct ListedAlbum: Sendable, Hashable {
    package var title: String
    /// Its own at that place, or its place in the list.
    package var id: String
    /// The other place says it in all of its lists.
    package var isIDOfAll = false
}

/// How a list of another place calls a file.
package enum ListedFile: Sendable, Hashable {
    /// Its path within the export.
    case path(String)
    /// Flickr's number of a photo, which stands in its name.
    case flickr(String)
    /// Snapchat's: what stands in the link by which it could be fetched, the day in its name, and its kind.
    case snap(link: String, day: String, isVideo: Bool)
    /// What stands in its name beside the day, in small letters.
    case snapChat(String)
}

/// A file that may say something of photos.
package struct UnreadSidecar: Sendable, Equatable {
    /// Why its content could not be taken apart; nil where it could, and is not known here.
    package var problem: String?
    /// What may be names of photos in it, in small letters and without folders.
    package var names: Set<String> = []
    /// What may be such a name without its ending, or a part of one.
    package var stems: Set<String> = []
    /// There are texts in it.
    package var hasWords = false
    /// It is a database in which names of pictures stand, as programs for photos keep what people say of them.
    package var mayListPictures = false
}

package struct AlbumTableRow: Sendable, Equatable {
    package var album: String
    package var file: String
}
