package import Media

/// One file of a source, as far as the matcher knows it.
package struct ImportFile: Sendable, Equatable {
    /// Which of the sources it lies in.
    package var source: Int
    /// Whether that is an archive: parts of one export are one tree.
    package var isFromArchive: Bool
    package var path: String
    /// The path is of an encoding that is not known, and may be another one.
    package var isPathGuessed = false
    package var byteCount: UInt64
    /// By its content.
    package var type: MediaType
    /// What it says, where it is no photo.
    package var content: SidecarContent?
    /// SHA-256 of its content; nil for what could not be read.
    package var digest: [UInt8]?
    /// Why it could not be read, or must not.
    package var problem: String?

    package init(
        source: Int = 0, isFromArchive: Bool = true, path: String, byteCount: UInt64 = 1, type: MediaType = .other,
        content: SidecarContent? = nil, digest: [UInt8]? = nil, problem: String? = nil
    ) {
        self.source = source
        self.isFromArchive = isFromArchive
        self.path = path
        self.byteCount = byteCount
        self.type = type
        self.content = content
        self.digest = digest
        self.problem = problem
    }

    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// What it says of the photo beside which it lies.
    var note: SidecarNote? {
        switch content {
        case .note(let note), .edits(let note): note
        default: nil
        }
    }

    /// A picture or a video: by its content, or by its name where that is damaged.
    var isMedia: Bool {
        guard content == nil, problem == nil, byteCount > 0, ArrivingName.reasonToLeave(path) == nil else {
            return false
        }
        return type != .other || !FamilyName(name, isKnown: true).ending.isEmpty
    }
}

/// What becomes of a file.
package enum ImportFate: Sendable, Equatable {
    /// It is brought, and is this one of the plan's photos.
    case photo(Int)
    /// Its content is that of this photo.
    case again(photo: Int)
    /// It says something of photos, and was read.
    case sidecar
    /// It says something of a photo that is not there.
    case orphan
    /// The same, and a video or a changed picture of that photo, which is there, was given its words.
    case ownerless(reason: String)
    /// It says something of photos, and not all of it was understood.
    case unread(reason: String)
    /// It lies in another service than that of photos, and is left there.
    case left(reason: String)
    case notPhoto(reason: String)
    /// It was thrown away where it comes from.
    case trashed
    /// It could not be read, or is refused.
    case unreadable(reason: String)
}

/// One photo, video, or sidecar of an editor, that is to lie in the vault.
package struct PlannedPhoto: Sendable, Equatable {
    /// The file whose bytes are brought, by its place in the list.
    package var file: Int
    /// Under which it is kept.
    package var name: String
    package var note: SidecarNote
    /// It goes with a photo, and is none.
    package var isSidecar: Bool
    /// The path under which it waits for its photo, which has not come yet; nil for all others.
    package var waitsAs: String?
    /// Days that other names of it tell.
    package var otherDates: [CaptureTime] = []

    /// It has this name, too.
    mutating func join(name other: String) {
        guard other != name, let told = CaptureTime(name: other) else { return }
        if let own = CaptureTime(name: name) {
            if own.isAnotherDay(than: told) { otherDates.append(told) }
        } else {
            name = other
        }
    }
}
