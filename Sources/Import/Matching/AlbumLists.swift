import Media

/// What lists say of photos by their names: Apple's, and those of exports of this program.
struct AlbumLists {
    private var notes: [Int: [SidecarNote]] = [:]
    /// Lists that name a photo which is here.
    private(set) var used: Set<Int> = []
    private(set) var remarks: [Int: String] = [:]
    /// By list: what of it was left out, because it is not clear or was not understood.
    private(set) var unread: [Int: String] = [:]
    /// Photos that a list in their own part names.
    private var listed: Set<Int> = []
    /// Parts that have lists of details.
    private var detailed: Set<Int> = []

    private struct Place: Hashable {
        var tree: ImportTree
        /// Nil for all of them.
        var part: Int?
        var name: String

        init(_ tree: ImportTree, _ part: Int?, _ name: String) {
            (self.tree, self.part, self.name) = (tree, part, EntryName.composed(name).lowercased())
        }
    }

    init(_ files: [ImportFile], _ places: ImportTrees, media: [Int]) {
        let isNeeded = files.contains { file in
            switch file.content {
            case .details, .albumList, .albumTable: true
            default: false
            }
        }
        guard isNeeded else { return }
        let (trees, parts) = (places.trees, places.parts)
        let inFolder = Dictionary(grouping: media) { Place(trees[$0], parts[$0], files[$0].name) }
        let inTree = Dictionary(grouping: media) { Place(trees[$0].root, nil, files[$0].name) }
        var elsewhere: [Place: [Claim]] = [:]
        for index in files.indices {
            switch files[index].content {
            case .details(let details):
                detailed.insert(parts[index])
                let partialCount = details.count(where: \.isPartial)
                if partialCount > 0 {
                    unread[index] =
                        "\(partialCount) of its dates are in a form that is not known here, or it breaks off"
                }
                for detail in details {
                    let near = inFolder[Place(trees[index], parts[index], detail.name)] ?? []
                    for photo in near { take(detail, for: photo) }
                    if !near.isEmpty { used.insert(index) }
                    listed.formUnion(near)
                    guard near.isEmpty else { continue }
                    let place = Place(trees[index].root, nil, detail.name)
                    elsewhere[place, default: []].append(Claim(list: index, detail: detail))
                }
            case .albumList(let names): take(names, of: files[index], index, in: trees[index].root, inTree)
            case .albumTable(let rows):
                for row in rows {
                    for photo in inFolder[Place(trees[index], parts[index], row.file)] ?? [] {
                        join(photo, row.album)
                        used.insert(index)
                    }
                }
            default: break
            }
        }
        settle(elsewhere, inTree, parts)
        tellVideos(files, trees, parts, media)
    }

    /// The video of a Live Photo stands in no list: what is said of its picture is said of it.
    private mutating func tellVideos(_ files: [ImportFile], _ trees: [ImportTree], _ parts: [Int], _ media: [Int]) {
        func place(_ photo: Int) -> Place {
            let family = FamilyName(files[photo].name, isKnown: true)
            return Place(trees[photo], parts[photo], "\(String(decoding: family.stem, as: UTF8.self))(\(family.copy))")
        }
        let pictures = Dictionary(grouping: listed.filter { !files[$0].type.isVideo }, by: place)
        for video in media where files[video].type.isVideo && !listed.contains(video) && detailed.contains(parts[video])
        {
            guard let found = pictures[place(video)], found.count == 1, var note = notes[found[0]]?.first else {
                continue
            }
            note.albums = []
            notes[video, default: []].append(note)
        }
    }

    func notes(of photo: Int) -> [SidecarNote] { notes[photo] ?? [] }

    /// What a list says of a photo that does not lie in its part.
    private struct Claim {
        var list: Int
        var detail: AppleDetail
    }

    /// The list may lie in another part than the photo. Each part has an `IMG_0001.JPG` of its own: what its lists do not
    /// name, where it has some, is none that those of another part name.
    private mutating func settle(_ claims: [Place: [Claim]], _ inTree: [Place: [Int]], _ parts: [Int]) {
        var unclear: [Int: Int] = [:]
        for (place, claims) in claims {
            let photos = inTree[place] ?? []
            let bare = photos.filter { !listed.contains($0) }
            guard !bare.isEmpty else { continue }
            if photos.count == 1, !detailed.contains(parts[bare[0]]),
                claims.allSatisfy({ $0.detail == claims[0].detail })
            {
                take(claims[0].detail, for: bare[0])
                used.formUnion(claims.map(\.list))
            } else {
                for claim in claims { unclear[claim.list, default: 0] += 1 }
            }
        }
        for (list, count) in unclear {
            unread[list] =
                "\(count) of the names in it are those of photos in other parts, and may mean others: "
                + "what it says of them was left out"
        }
    }

    private mutating func take(_ detail: AppleDetail, for photo: Int) {
        notes[photo, default: []].append(detail.note)
    }

    private mutating func take(
        _ names: [String], of list: ImportFile, _ index: Int, in root: ImportTree, _ inTree: [Place: [Int]]
    ) {
        let album = list.name.lastIndex(of: ".").map { String(list.name[..<$0]) } ?? list.name
        var (missing, unclear) = (0, 0)
        for name in names {
            let found = inTree[Place(root, nil, name)] ?? []
            guard found.count == 1 else {
                if found.isEmpty { missing += 1 } else { unclear += 1 }
                continue
            }
            join(found[0], album)
            used.insert(index)
        }
        if missing > 0 { remarks[index] = "\(missing) of the names in it are those of no photo here" }
        if unclear > 0 {
            unread[index] =
                "\(unclear) of the names in it are those of several photos: what it says of them was left out"
        }
    }

    private mutating func join(_ photo: Int, _ album: String) {
        var note = SidecarNote()
        if album == SidecarNote.favourites { note.isFavourite = true } else { note.albums = [album] }
        notes[photo, default: []].append(note)
    }
}
