import Media

/// What is to be brought of some files, and what of each file becomes. A pure function: nothing is read here.
package struct ImportPlan: Sendable {
    package struct Options: Sendable {
        /// An album that everything joins.
        package var album: String?
        /// Whether folders are albums that nothing says of.
        package var keepsFolders: Bool
        /// Whether what a photo says of itself comes before what somebody has put right.
        package var filesLead: Bool
        /// Whether pictures of other services than Google Photos are brought from a Takeout.
        package var allServices: Bool

        package init(
            album: String? = nil, keepsFolders: Bool = false, filesLead: Bool = false, allServices: Bool = true
        ) {
            self.album = album
            self.keepsFolders = keepsFolders
            self.filesLead = filesLead
            self.allServices = allServices
        }
    }

    package private(set) var photos: [PlannedPhoto] = []
    /// In the order of the files.
    package private(set) var fates: [ImportFate]
    /// Of files about which there is something to say beside their fate, by their places.
    package private(set) var remarks: [Int: String] = [:]
    /// Files beside photos that speak of one which is here, by their places.
    package private(set) var joined: Set<Int> = []
    /// By photo: the files that speak of it and of no other photo, or of several in a list.
    package private(set) var speakers: [Int: Set<Int>] = [:]
    /// What lies in one folder, and the album that it is; nil for none.
    package private(set) var folders: [(name: String?, album: String?, photos: [Int])] = []

    /// - Parameter sources: the paths of the sources, by number: which parts are of one export may stand there alone.
    package init(_ all: [ImportFile], _ options: Options = Options(), sources: [String] = []) {
        let waiting = Self.waiting(all)
        var files = all
        // What waited in the vault from which it comes speaks of none of these.
        for index in waiting.keys { files[index].content = nil }
        fates = files.map(Self.firstFate)
        let laid = ImportTrees(files, sources: sources)
        let trees = laid.trees
        let media = files.indices.filter { files[$0].isMedia }
        let beside = Dictionary(grouping: files.indices.filter { files[$0].note != nil }) { trees[$0].ofPhotos }
        let services = TakeoutServices(files, trees, media: media)
        // Mail, documents and the like: what is of no known form there is none of these photos'.
        for index in files.indices
        where SidecarContent.isOfAnyForm(files[index].path) && services.other(trees[index]) != nil {
            files[index].content = nil
            fates[index] = Self.firstFate(of: files[index])
        }
        let folders = AlbumFolders(
            files, trees, media: media, services, keepsFolders: options.keepsFolders, sources: sources)
        let groups = Dictionary(grouping: media, by: { trees[$0] })
        var titles = AlbumTitles()
        let names = Self.names(of: groups.keys, folders, &titles)
        let lists = AlbumLists(files, laid, media: media, &titles)
        let listed = ListedFiles(files, media: media, sources: sources, &titles)
        var (used, owned, bare): (Set<Int>, Set<Int>, [Int]) = (listed.used, listed.used, [])
        var (given, doubtful): ([Int: String], Set<Int>) = ([:], [])
        var notes: [Int: SidecarNote] = [:]
        for (tree, photos) in groups {
            let other = services.other(tree)
            let matching = SidecarMatching(files, laid, photos: photos, notes: beside[tree] ?? [])
            used.formUnion(matching.used)
            owned.formUnion(matching.owned)
            doubtful.formUnion(matching.doubtful)
            let saids = photos.map { matching.notes(of: $0) }
            let sure = saids.flatMap { $0.notes.filter { !$0.isUncertain } }
            let album = folders.isPutAway(tree, sure) ? nil : names[tree]
            let isDoubtful = folders.isDoubtful(tree, sure)
            self.folders.append((tree.name, album, photos))
            for (photo, said) in zip(photos, saids) {
                if let other { remark(photo, "it lies in \(other), and not in Google Photos") }
                if said.wasSpared {
                    remark(photo, "the sidecar of another one like it says that this lay in the trash")
                }
                if matching.unclear.contains(photo) || said.isForeign { remark(photo, Self.unclear) }
                if said.notes.isEmpty, tree.isTakeout { bare.append(photo) }
                let speaking = matching.sidecars[photo]?.map(\.note) ?? []
                speakers[photo] = Set(speaking).union(listed.lists[photo] ?? [])
                for note in speaking { given[note] = files[photo].name }
                var note = (said.notes + lists.notes(of: photo) + (listed.notes[photo] ?? [])).reduce(SidecarNote()) {
                    $0.isSilent ? $1 : $0.joined(by: $1)
                }
                if options.filesLead { note = note.leadingNothing() }
                note.join([album, options.album])
                if isDoubtful { note.unkept.insert(SidecarNote.doubtfulAlbum) }
                if files[photo].isPathGuessed { note.unkept.insert(Self.guessedPath) }
                notes[photo] = note
            }
        }
        let places = Set(media.map { trees[$0] })
        joined = owned.union(lists.used).union(
            files.indices.filter { index in
                switch files[index].content {
                case .album: places.contains(trees[index].ofPhotos)
                case .accompaniment: true
                default: false
                }
            })
        nameForeign(files, trees, bare: bare, used: used)
        settleSidecars(files, used: used, notes: &notes)
        nameGiven(files, given.filter { used.contains($0.key) && !owned.contains($0.key) }, doubtful)
        nameAlbums(files, laid, folders, media: media)
        for (index, reason) in UnreadFiles(files, fates, trees, media: media, services).reasons {
            fates[index] = .unread(reason: reason)
        }
        for (list, reasons) in lists.unread.merging(listed.unread, uniquingKeysWith: +) {
            fates[list] = .unread(reason: reasons.joined(separator: "; "))
        }
        if !options.allServices { leaveOthers(files, trees, services, &notes) }
        settlePhotos(files, notes)
        for (index, path) in waiting.sorted(by: { $0.key < $1.key }) {
            fates[index] = .photo(photos.count)
            photos.append(
                PlannedPhoto(
                    file: index, name: files[index].name, note: SidecarNote(), isSidecar: true, waitsAs: path))
        }
    }

    /// What an export of this program has of sidecars whose photos had not come, with their paths.
    private static func waiting(_ files: [ImportFile]) -> [Int: String] {
        let exports = Set(
            files.filter { $0.name == "SHA256SUMS" }.map { Place(source: $0.source, folders: $0.path.folders) })
        guard !exports.isEmpty else { return [:] }
        var found: [Int: String] = [:]
        for index in files.indices where files[index].content != nil && files[index].problem == nil {
            let folders = files[index].path.folders
            guard let start = folders.firstIndex(of: SidecarContent.waitingFolder),
                exports.contains(Place(source: files[index].source, folders: Array(folders[..<start])))
            else { continue }
            found[index] = (folders[(start + 1)...] + [files[index].name]).joined(separator: "/")
        }
        return found
    }

    private struct Place: Hashable {
        var source: Int
        var folders: [String]
    }

    /// Whether all that the files say is said of photos which are brought: nobody may be told to delete them otherwise.
    package var saysAll: Bool {
        let isWhole = fates.allSatisfy { fate in
            switch fate {
            case .orphan, .ownerless, .unread, .unreadable: false
            default: true
            }
        }
        return isWhole && photos.allSatisfy(\.note.unkept.isEmpty)
    }

    // MARK: What is known before

    private static func firstFate(of file: ImportFile) -> ImportFate {
        if let problem = file.problem { return .unreadable(reason: problem) }
        if case .unread = file.content {} else if file.content != nil { return .sidecar }
        if let reason = ArrivingName.reasonToLeave(file.path) { return .notPhoto(reason: reason) }
        if case .unread(let text) = file.content, let problem = text.problem { return .unread(reason: problem) }
        if file.byteCount == 0 { return .notPhoto(reason: "it is empty") }
        if file.path.lowercased().hasSuffix(".aae") {
            return .notPhoto(reason: UnreadFiles.adjustments)
        }
        return .notPhoto(reason: UnreadFiles.noPhoto)
    }

    // MARK: What is to be looked at

    private static let unclear =
        "a sidecar of its name lies in another export, and was left out: it is not clear whose it is"

    private static let guessedPath = "names in an encoding that is not known"

    private mutating func remark(_ file: Int, _ text: String) {
        remarks[file] = remarks[file].map { $0.contains(text) ? $0 : "\($0); \(text)" } ?? text
    }

    /// Photos without a sidecar, of whose name one lies in the export of somebody else.
    private mutating func nameForeign(_ files: [ImportFile], _ trees: [ImportTree], bare: [Int], used: Set<Int>) {
        guard !bare.isEmpty else { return }
        var orphans: [[String]: Set<Int>] = [:]
        for index in files.indices where files[index].note != nil && !used.contains(index) {
            orphans[trees[index].ofPhotos.folders + [Self.stem(files[index])], default: []].insert(trees[index].export)
        }
        for photo in bare {
            let others = orphans[trees[photo].folders + [Self.stem(files[photo])]] ?? []
            if others.contains(where: { $0 != trees[photo].export }) { remark(photo, Self.unclear) }
        }
    }

    private static func stem(_ file: ImportFile) -> String {
        let family = SidecarMatching.family(file)
        return "\(String(decoding: family.stem, as: UTF8.self))(\(family.copy))"
    }

    // MARK: What was not understood

    /// The names of albums, as they stay apart.
    private static func names(
        of folders: some Collection<ImportTree>, _ albums: AlbumFolders, _ titles: inout AlbumTitles
    ) -> [ImportTree: String] {
        var names: [ImportTree: String] = [:]
        for folder in folders.sorted(by: { $0.folders.lexicographicallyPrecedes($1.folders) }) {
            guard let title = albums.album(of: folder) else { continue }
            let isOwn = title == SidecarNote.favourites
            names[folder] = isOwn ? title : titles.name(title, of: folder.folders.joined(separator: "/"))
        }
        return names
    }

    /// Sidecars whose words lie in the vault, but not where they belong, or perhaps not.
    private mutating func nameGiven(_ files: [ImportFile], _ given: [Int: String], _ doubtful: Set<Int>) {
        for (note, photo) in given {
            guard case .note = files[note].content else { continue }
            fates[note] = .ownerless(reason: "what it says was given to \(photo) alone")
        }
        for note in doubtful where fates[note] == .sidecar {
            fates[note] = .unread(reason: Self.ofAnother)
        }
    }

    private static let ofAnother =
        "what it speaks of lies in another part, and nothing says that both are of one person: it was taken for that"

    /// Albums without a photo, and what of their names and words is not kept.
    private mutating func nameAlbums(
        _ files: [ImportFile], _ laid: ImportTrees, _ folders: AlbumFolders, media: [Int]
    ) {
        let trees = laid.trees
        let photos = Dictionary(grouping: media) { trees[$0] }
        for index in files.indices {
            guard case .album(let title, var unkept) = files[index].content, fates[index] == .sidecar else { continue }
            let folder = trees[index].ofPhotos
            if !folders.isYear(folder), folders.album(of: folder) != AlbumFolders.name(title, in: folder) {
                let isNamed = title.contains { !$0.isWhitespace }
                unkept.insert(isNamed ? "its name" : "that its photos are one, without a name")
            }
            guard joined.contains(index) || folders.isYear(folder) else {
                fates[index] = .orphan
                continue
            }
            if !unkept.isEmpty {
                fates[index] = .unread(reason: "not kept of the album: \(unkept.sorted().joined(separator: ", "))")
            } else if folder.isTakeout, photos[folder]?.contains(where: { !laid.isOfOneExport($0, index) }) == true {
                fates[index] = .unread(reason: Self.ofAnother)
            }
        }
    }

    /// What lies in another service is left there, whatever it is.
    private mutating func leaveOthers(
        _ files: [ImportFile], _ trees: [ImportTree], _ services: TakeoutServices, _ notes: inout [Int: SidecarNote]
    ) {
        for index in files.indices {
            guard let other = services.other(trees[index]), files[index].problem == nil else { continue }
            notes[index] = nil
            remarks[index] = nil
            fates[index] = .left(reason: "it lies in \(other), and not in Google Photos; --all-services brings it")
        }
    }

    // MARK: What becomes of them

    /// Notes of editors are kept beside their photos; others were read, or speak of nothing that is here.
    private mutating func settleSidecars(_ files: [ImportFile], used: Set<Int>, notes: inout [Int: SidecarNote]) {
        for index in files.indices {
            switch files[index].content {
            case .note where !used.contains(index): fates[index] = .orphan
            case .list(let list, _) where !used.contains(index) && !list.isEmpty:
                if case .flickr = list[0].file {
                    fates[index] = .orphan
                } else {
                    fates[index] = .unread(reason: "none of the photos that it speaks of is here")
                }
            case .edits:
                notes[index] = SidecarNote()
                if !used.contains(index) { remarks[index] = "it speaks of no photo that is here, and is kept as it is" }
            default: break
            }
        }
    }

    /// Of files with the same content one is brought, with what is said of any of them, and the name that tells a date.
    private mutating func settlePhotos(_ files: [ImportFile], _ notes: [Int: SidecarNote]) {
        var places: [[UInt8]: Int] = [:]
        for index in files.indices {
            guard let note = notes[index] else { continue }
            let isSidecar = files[index].content != nil
            // Two sidecars that say the same speak of two photos.
            if !isSidecar, let digest = files[index].digest, let place = places[digest] {
                photos[place].note = photos[place].note.joined(by: note)
                photos[place].join(name: files[index].name)
                fates[index] = .again(photo: place)
                continue
            }
            if !isSidecar, let digest = files[index].digest { places[digest] = photos.count }
            fates[index] = .photo(photos.count)
            photos.append(
                PlannedPhoto(file: index, name: files[index].name, note: note, isSidecar: isSidecar))
        }
        for index in files.indices {
            if case .again(let place) = fates[index], photos[place].name != files[index].name {
                remark(index, "it is kept as \(photos[place].name)")
            }
        }
        dropTrashed()
        for photo in photos where photo.note.isArchived {
            remark(photo.file, "it was in the archive there, or hidden; here it is kept out of the timeline, too")
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

extension String {
    fileprivate var folders: [String] { split(separator: "/").dropLast().map(String.init) }
}

extension SidecarNote {
    fileprivate mutating func join(_ names: [String?]) {
        for case let name? in names {
            if name == SidecarNote.favourites {
                isFavourite = true
            } else if !albums.contains(name) {
                albums.append(name)
            }
        }
    }
}
