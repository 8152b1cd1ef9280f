package import Media

extension SidecarContent {
    /// Beyond this a file is not read: a list of 20,000 photos is smaller.
    package static let largestByteCount: UInt64 = 16 << 20
    package static let largestArriving: UInt64 = 4 << 20
    /// The folder of an export of this program for what waits for its photo.
    package static let waitingFolder = "waiting sidecars"
    private static let endings = [".json", ".csv", ".xmp"]
    /// Texts that may name photos.
    private static let textEndings = [
        ".html", ".htm", ".txt", ".xml", ".tsv", ".jsonl", ".ndjson", ".yaml", ".yml", ".plist", ".ini", ".js",
    ]

    /// What is packed by itself, and is no archive.
    private static let packedEndings = [".gz", ".xz", ".bz2", ".zst", ".lzma", ".lz4", ".br", ".z"]

    /// Whether a file of this name may say something of photos, so that its content is wanted: programs write that in whatever
    /// is no picture and no video.
    package static func isCandidate(_ path: String) -> Bool {
        isKnown(path) || FamilyName(path, isKnown: true).ending.isEmpty
    }

    /// Whether nothing but its content can tell what it is.
    static func isOfAnyForm(_ path: String) -> Bool { isCandidate(path) && !isKnown(path) }

    private static func isKnown(_ path: String) -> Bool {
        let name = path.lowercased()
        return (endings + textEndings).contains { name.hasSuffix($0) } || isAccompaniment(path)
    }

    /// Whether a file that arrives by itself may be one that says something of photos: by its name, and small enough to be
    /// read while others arrive, too.
    package static func mayArrive(_ path: String, byteCount: UInt64) -> Bool {
        byteCount <= largestArriving && (endings.contains(where: path.lowercased().hasSuffix) || isAccompaniment(path))
    }

    /// What one file says of photos that came before it, or come behind it. Nil for what says nothing of any, and for an
    /// album's title in no folder.
    /// - Parameter path: folders and name, or the name alone.
    package init?(arriving bytes: [UInt8], path: String) {
        guard let content = SidecarContent(bytes, path: path) else { return nil }
        switch content {
        // In an export of this program it says where that begins.
        case .accompaniment where path.hasSuffix("/SHA256SUMS"): break
        case .accompaniment: return nil
        case .album where !path.contains("/"): return nil
        case .note(let note), .edits(let note): if note.isSilent { return nil }
        case .unread: return nil
        case .album, .details, .albumList, .albumTable, .list: break
        }
        self = content
    }

    /// Whether the file is more than what is read of it: it is kept beside its photo then.
    package var isKept: Bool { if case .edits = self { true } else { false } }

    /// Whether it speaks of one photo, and of nothing that may come much later.
    package var isOfOnePhoto: Bool {
        switch self {
        case .note, .edits: true
        default: false
        }
    }

    /// The same, but for what lay in the trash: somebody who may not say that says the rest nevertheless.
    package var withoutTrash: SidecarContent {
        func kept(_ note: SidecarNote) -> SidecarNote {
            var note = note
            note.isTrashed = false
            return note
        }
        switch self {
        case .note(let note): return .note(kept(note))
        case .edits(let note): return .edits(kept(note))
        case .details(let details):
            return .details(
                details.map { detail in
                    var detail = detail
                    detail.note = kept(detail.note)
                    return detail
                })
        case .album, .albumList, .albumTable, .list, .accompaniment, .unread: return self
        }
    }

    /// When its photo was taken; nil for what does not say it of one alone.
    package var takenAt: CaptureTime? {
        switch self {
        case .note(let note), .edits(let note): note.takenAt
        default: nil
        }
    }

    /// What is too large to be read; nil where that is none of the forms in which something is said of photos.
    /// - Parameter head: how it begins
    package init?(tooLarge path: String, head: [UInt8] = []) {
        let isOfAnyForm =
            Self.isOfAnyForm(path) && !head.isEmpty
            && (Self.packedEndings.contains(where: path.lowercased().hasSuffix)
                || UnreadSidecar.isDatabase(head) || UnreadSidecar.isText(head))
        guard Self.isKnown(path) && !Self.isAccompaniment(path) || isOfAnyForm else { return nil }
        self = .unread(UnreadSidecar(problem: UnreadSidecar.tooLarge))
    }

    /// Nil for what says nothing of photos by its form.
    package init?(_ bytes: [UInt8], path: String) {
        let name = path.lowercased()
        if Self.isAccompaniment(path) {
            self = .accompaniment
        } else if name.hasSuffix(".json") {
            self = SidecarContent(json: bytes)
        } else if name.hasSuffix(".csv"), let content = SidecarContent(csv: bytes, path: path) {
            self = content
        } else if name.hasSuffix(".xmp") {
            self =
                XMPSidecar(bytes).map { .edits(SidecarNote($0)) }
                ?? .unread(UnreadSidecar(problem: UnreadSidecar.broken))
        } else if (Self.endings + Self.textEndings).contains(where: name.hasSuffix) {
            // A property list is a text by its ending, and may be in its binary form.
            let unread =
                UnreadSidecar.isDatabase(bytes) ? UnreadSidecar(ofAnyForm: bytes) : UnreadSidecar(namingIn: bytes)
            self = .unread(unread)
        } else if !Self.isOfAnyForm(path) {
            return nil
        } else if Self.packedEndings.contains(where: name.hasSuffix) {
            self = .unread(UnreadSidecar(problem: UnreadSidecar.packed))
        } else {
            self = .unread(UnreadSidecar(ofAnyForm: bytes))
        }
    }

    /// What systems, cameras and people put beside photos that says nothing of them which anybody would miss: links, checksums,
    /// small pictures, the catalogue of a card. Small letters.
    static func isNoise(_ name: String) -> Bool {
        let endings = [
            ".lnk", ".url", ".webloc", ".md5", ".sha1", ".sha256", ".sha512", ".sfv", ".par2", ".asc", ".sig",
            ".torrent",
            ".thm", ".ctg", ".bnp", ".inp", ".mrk", ":zone.identifier",
        ]
        return name == "mediapro.xml" || endings.contains(where: name.hasSuffix)
    }

    /// What archives and systems put beside photos for themselves.
    private static func isAccompaniment(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard let name = parts.last?.lowercased() else { return false }
        if [
            "sha256sums", "archive_browser.html", ".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini", ".nomedia",
        ].contains(name) {
            return true
        }
        // What macOS keeps of a file where a file system has no room for it.
        return name.hasPrefix("._") || parts.contains("__MACOSX")
    }
}

extension SidecarNote {
    fileprivate init(_ facts: XMPSidecar) {
        self.init()
        takenAt = facts.takenAt.map { time in
            var time = time
            if time.source != .person { time.source = .sidecar }
            return time
        }
        place = facts.place
        (correctsTime, correctsPlace) = (takenAt != nil, place != nil)
        caption = facts.caption.flatMap(Self.worded)
        isFavourite = facts.isFavourite
        isArchived = facts.isArchived
        crop = facts.crop
        albums = facts.albums
    }
}
