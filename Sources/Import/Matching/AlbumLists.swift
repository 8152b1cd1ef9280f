import Media

/// What lists say of photos by their names: Apple's, and those of exports of this program.
struct AlbumLists {
    private var notes: [Int: [SidecarNote]] = [:]
    /// Lists that name a photo which is here.
    private(set) var used: Set<Int> = []
    /// By list: what of it was left out, because it is not clear, was not understood, or speaks of what is not here.
    private(set) var unread: [Int: [String]] = [:]
    /// Photos that a list in their own part names.
    private var listed: Set<Int> = []
    /// Parts that have lists of details.
    private var detailed: Set<Int> = []
    /// By list: the names of photos that are not here.
    private var missing: [Int: [String]] = [:]

    private struct Place: Hashable {
        var tree: ImportTree
        /// Nil for all of them.
        var part: Int?
        var name: String

        init(_ tree: ImportTree, _ part: Int?, _ name: String) {
            (self.tree, self.part, self.name) = (tree, part, EntryName.composed(name).lowercased())
        }
    }

    init(_ files: [ImportFile], _ places: ImportTrees, media: [Int], _ titles: inout AlbumTitles) {
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
        var (near, elsewhere): ([Place: [Claim]], [Place: [Claim]]) = ([:], [:])
        for index in files.indices {
            switch files[index].content {
            case .details(let details):
                detailed.insert(parts[index])
                nameUnread(of: details, index)
                for detail in details {
                    let claim = Claim(list: index, detail: detail)
                    let place = Place(trees[index], parts[index], detail.name)
                    if inFolder[place] != nil {
                        near[place, default: []].append(claim)
                    } else {
                        elsewhere[Place(trees[index].root, nil, detail.name), default: []].append(claim)
                    }
                }
            case .albumList(let names):
                if names.isEmpty { note(Self.emptyAlbum, of: index) }
                let name = files[index].name
                let title = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
                // One list may lie in several parts of an export.
                let folders = trees[index].folders.dropFirst().joined(separator: "/")
                let album = title == SidecarNote.favourites ? title : titles.name(title, of: "\(folders)/\(name)")
                take(names, of: index, as: album, in: trees[index].root, inTree)
            case .albumTable(let rows):
                for row in rows {
                    let photos = inFolder[Place(trees[index], parts[index], row.file)] ?? []
                    if photos.isEmpty { missing[index, default: []].append(row.file) }
                    for photo in photos {
                        join(photo, row.album)
                        used.insert(index)
                    }
                }
            default: break
            }
        }
        settle(near, inFolder)
        settle(elsewhere, inTree, parts)
        for (list, names) in missing { note(MissingNames.text(names), of: list) }
        tellVideos(files, trees, parts, media)
    }

    private static let emptyAlbum = "the album is empty, and was not made"

    private mutating func note(_ reason: String, of list: Int) { unread[list, default: []].append(reason) }

    private mutating func nameUnread(of details: [AppleDetail], _ list: Int) {
        let unread = details.filter { !$0.unread.isEmpty }
        guard !unread.isEmpty else { return }
        let columns = unread.reduce(into: Set<String>()) { $0.formUnion($1.unread) }.sorted()
        note(
            "of \(unread.count) of its rows was not understood what stands under \(columns.joined(separator: ", "))",
            of: list)
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
            let names = [video, found[0]].map { FamilyName(files[$0].name, isKnown: true) }
            if !names[0].isSurelyVideo(of: names[1], asApple: true) { note.isTrashed = false }
            notes[video, default: []].append(note)
        }
    }

    func notes(of photo: Int) -> [SidecarNote] { notes[photo] ?? [] }

    /// What a list says of a photo that does not lie in its part.
    private struct Claim {
        var list: Int
        var detail: AppleDetail
    }

    /// Rows of one name that say different things cannot be told apart.
    private mutating func settle(_ claims: [Place: [Claim]], _ inFolder: [Place: [Int]]) {
        var unclear: [Int: [String]] = [:]
        for (place, claims) in claims {
            let photos = inFolder[place] ?? []
            listed.formUnion(photos)
            used.formUnion(claims.map(\.list))
            if claims.allSatisfy({ $0.detail.note == claims[0].detail.note }) {
                for photo in photos { take(claims[0].detail, for: photo) }
            } else {
                for claim in claims { unclear[claim.list, default: []].append(claim.detail.name) }
            }
        }
        for (list, names) in unclear {
            note(
                "several of its rows say different things of \(MissingNames.list(Set(names).sorted())), "
                    + "and were left out", of: list)
        }
    }

    /// The list may lie in another part than the photo. Each part has an `IMG_0001.JPG` of its own: what its lists do not
    /// name, where it has some, is none that those of another part name.
    private mutating func settle(_ claims: [Place: [Claim]], _ inTree: [Place: [Int]], _ parts: [Int]) {
        var unclear: [Int: Int] = [:]
        for (place, claims) in claims {
            let photos = inTree[place] ?? []
            let bare = photos.filter { !listed.contains($0) }
            guard !bare.isEmpty else {
                for claim in claims { missing[claim.list, default: []].append(claim.detail.name) }
                continue
            }
            // What is not brought, somebody may delete; the one in the trash may not even be here.
            if photos.count == 1, !detailed.contains(parts[bare[0]]), !claims[0].detail.note.isTrashed,
                claims.allSatisfy({ $0.detail.note == claims[0].detail.note })
            {
                take(claims[0].detail, for: bare[0])
                used.formUnion(claims.map(\.list))
            } else {
                for claim in claims { unclear[claim.list, default: 0] += 1 }
            }
        }
        for (list, count) in unclear {
            note(
                "\(count) of the names in it are those of photos in other parts, and may mean others: "
                    + "what it says of them was left out", of: list)
        }
    }

    private mutating func take(_ detail: AppleDetail, for photo: Int) {
        notes[photo, default: []].append(detail.note)
    }

    private mutating func take(
        _ names: [String], of index: Int, as album: String, in root: ImportTree, _ inTree: [Place: [Int]]
    ) {
        var unclear = 0
        for name in names {
            let found = inTree[Place(root, nil, name)] ?? []
            guard found.count == 1 else {
                if found.isEmpty { missing[index, default: []].append(name) } else { unclear += 1 }
                continue
            }
            join(found[0], album)
            used.insert(index)
        }
        if unclear > 0 {
            note(
                "\(unclear) of the names in it are those of several photos: what it says of them was left out",
                of: index)
        }
    }

    private mutating func join(_ photo: Int, _ album: String) {
        var note = SidecarNote()
        if album == SidecarNote.favourites { note.isFavourite = true } else { note.albums = [album] }
        notes[photo, default: []].append(note)
    }
}

/// Files of which a list speaks, and that are not here.
enum MissingNames {
    private static let mostNamed = 5

    static func text(_ names: [String]) -> String {
        let names = Set(names).sorted()
        return names.count == 1
            ? "\(names[0]), of which it speaks, is not here"
            : "\(names.count) of the photos of which it speaks are not here: \(list(names))"
    }

    /// The first of them.
    static func list(_ names: [String]) -> String {
        let rest = names.count - mostNamed
        return names.prefix(mostNamed).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
