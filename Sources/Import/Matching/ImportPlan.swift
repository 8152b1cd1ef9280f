import Media

/// What is to be brought of some files, and what of each file becomes. A pure function: nothing is read here.
package struct ImportPlan: Sendable {
    package struct Options: Sendable {
        /// An album that everything joins.
        package var album: String?
        /// Whether folders are albums that nothing says of.
        package var keepsFolders: Bool

        package init(album: String? = nil, keepsFolders: Bool = false) {
            self.album = album
            self.keepsFolders = keepsFolders
        }
    }

    package private(set) var photos: [PlannedPhoto] = []
    /// In the order of the files.
    package private(set) var fates: [ImportFate]
    /// Of files about which there is something to say beside their fate, by their places.
    package private(set) var remarks: [Int: String] = [:]

    package init(_ files: [ImportFile], _ options: Options = Options()) {
        fates = files.map(Self.firstFate)
        let trees = files.map { ImportTree($0) }
        let media = files.indices.filter { files[$0].isMedia }
        let beside = Dictionary(grouping: files.indices.filter { Self.note(of: files[$0]) != nil }) {
            trees[$0].ofPhotos
        }
        let folders = Self.folders(files, trees, media: media, keepsFolders: options.keepsFolders)
        let lists = AlbumLists(files, trees, media: media)
        remarks = lists.remarks
        var used: Set<Int> = []
        var notes: [Int: SidecarNote] = [:]
        for (tree, photos) in Dictionary(grouping: media, by: { trees[$0] }) {
            let matching = SidecarMatching(files, photos: photos, notes: beside[tree] ?? [])
            used.formUnion(matching.used)
            let album = folders.album(of: tree)
            for photo in photos {
                let said = (matching.sidecars[photo] ?? []).compactMap { Self.note(of: files[$0]) }
                var note = (said + lists.notes(of: photo)).reduce(SidecarNote()) {
                    $0.isSilent ? $1 : $0.joined(by: $1)
                }
                note.join([album, options.album])
                notes[photo] = note
            }
        }
        settleSidecars(files, used: used, notes: &notes)
        settlePhotos(files, notes)
    }

    // MARK: What is known before

    private static func firstFate(of file: ImportFile) -> ImportFate {
        if let problem = file.problem { return .unreadable(reason: problem) }
        if file.content != nil { return .sidecar }
        if file.byteCount == 0 { return .notPhoto(reason: "it is empty") }
        if file.path.lowercased().hasSuffix(".aae") {
            return .notPhoto(reason: "changes that Apple's Photos noted; what they changed is a picture of its own")
        }
        return .notPhoto(reason: "it is no photo and no video")
    }

    private static func note(of file: ImportFile) -> SidecarNote? {
        switch file.content {
        case .note(let note), .edits(let note): note
        default: nil
        }
    }

    private static func folders(
        _ files: [ImportFile], _ trees: [ImportTree], media: [Int], keepsFolders: Bool
    ) -> AlbumFolders {
        var titles: [ImportTree: String] = [:]
        var (takeout, ente, exports): (Set<ImportTree>, Set<ImportTree>, Set<ImportTree>) = ([], [], [])
        for index in files.indices {
            switch files[index].content {
            case .album(let title): titles[trees[index].ofPhotos] = title
            case .note where trees[index] != trees[index].ofPhotos: ente.insert(trees[index].ofPhotos)
            case .note(let note) where note.title != nil && note.albums.isEmpty: takeout.insert(trees[index])
            case .accompaniment where files[index].name == "SHA256SUMS": exports.insert(trees[index])
            default: break
            }
        }
        // Immich's lie in folders as people made them.
        takeout = takeout.filter { $0.isTakeout || titles[$0] != nil }
        return AlbumFolders(
            titles: titles, takeout: takeout, ente: ente, exports: exports, keepsFolders: keepsFolders,
            folders: Set(media.map { trees[$0] }))
    }

    // MARK: What becomes of them

    /// Notes of editors are kept beside their photos; others were read, or speak of nothing that is here.
    private mutating func settleSidecars(_ files: [ImportFile], used: Set<Int>, notes: inout [Int: SidecarNote]) {
        for index in files.indices {
            switch files[index].content {
            case .note where !used.contains(index): fates[index] = .orphan
            case .edits:
                notes[index] = SidecarNote()
                if !used.contains(index) { remarks[index] = "it speaks of no photo that is here, and is kept as it is" }
            default: break
            }
        }
    }

    /// Of files with the same content one is brought, with what is said of any of them.
    private mutating func settlePhotos(_ files: [ImportFile], _ notes: [Int: SidecarNote]) {
        var places: [[UInt8]: Int] = [:]
        for index in files.indices {
            guard let note = notes[index] else { continue }
            if let digest = files[index].digest, let place = places[digest] {
                photos[place].note = photos[place].note.joined(by: note)
                fates[index] = .again(photo: place)
                continue
            }
            if let digest = files[index].digest { places[digest] = photos.count }
            fates[index] = .photo(photos.count)
            let isSidecar = files[index].content != nil
            photos.append(
                PlannedPhoto(file: index, name: files[index].name, note: note, isSidecar: isSidecar))
        }
        dropTrashed()
        for photo in photos where photo.note.isArchived {
            remarks[photo.file] = "it was put into the archive there; here it stands among the others"
        }
    }

    /// What lies in the trash everywhere is not brought.
    private mutating func dropTrashed() {
        var (kept, places): ([PlannedPhoto], [Int: Int]) = ([], [:])
        for (place, photo) in photos.enumerated() where !photo.note.isTrashed {
            places[place] = kept.count
            kept.append(photo)
        }
        photos = kept
        for index in fates.indices {
            switch fates[index] {
            case .photo(let place): fates[index] = places[place].map { .photo($0) } ?? .trashed
            case .again(let place): fates[index] = places[place].map { .again(photo: $0) } ?? .trashed
            default: break
            }
        }
    }
}

extension SidecarNote {
    fileprivate var isSilent: Bool { self == SidecarNote() }

    fileprivate mutating func join(_ names: [String?]) {
        for case let name? in names {
            if name == SidecarNote.favourites {
                isFavourite = true
            } else if !albums.contains(name) {
                albums.append(name)
            }
        }
    }

    /// What an export of this program calls the folder of all hearts.
    fileprivate static let favourites = "Favourites"
}
