/// What lists say of photos by their names: Apple's, and those of exports of this program.
struct AlbumLists {
    private var notes: [Int: [SidecarNote]] = [:]
    private(set) var remarks: [Int: String] = [:]

    private struct Place: Hashable {
        var tree: ImportTree
        var name: String
    }

    init(_ files: [ImportFile], _ trees: [ImportTree], media: [Int]) {
        let isNeeded = files.contains { file in
            switch file.content {
            case .details, .albumList, .albumTable: true
            default: false
            }
        }
        guard isNeeded else { return }
        let inFolder = Dictionary(grouping: media) { Self.place(trees[$0], files[$0].name) }
        let inTree = Dictionary(grouping: media) { Self.place(trees[$0].root, files[$0].name) }
        for index in files.indices {
            switch files[index].content {
            case .details(let details): take(details, in: trees[index], inFolder, inTree)
            case .albumList(let names): take(names, of: files[index], index, in: trees[index].root, inTree)
            case .albumTable(let rows):
                for row in rows {
                    for photo in inFolder[Self.place(trees[index], row.file)] ?? [] { join(photo, row.album) }
                }
            default: break
            }
        }
    }

    func notes(of photo: Int) -> [SidecarNote] { notes[photo] ?? [] }

    private static func place(_ tree: ImportTree, _ name: String) -> Place {
        Place(tree: tree, name: ImportTree.composed(name).lowercased())
    }

    private mutating func take(
        _ details: [AppleDetail], in tree: ImportTree, _ inFolder: [Place: [Int]], _ inTree: [Place: [Int]]
    ) {
        for detail in details {
            let near = inFolder[Self.place(tree, detail.name)] ?? []
            // The list may lie in another part than the photo.
            for photo in near.isEmpty ? inTree[Self.place(tree.root, detail.name)] ?? [] : near {
                notes[photo, default: []].append(detail.note)
                if detail.isHidden { remarks[photo] = "it was hidden there; here it stands among the others" }
            }
        }
    }

    private mutating func take(
        _ names: [String], of list: ImportFile, _ index: Int, in root: ImportTree, _ inTree: [Place: [Int]]
    ) {
        let album = list.name.lastIndex(of: ".").map { String(list.name[..<$0]) } ?? list.name
        var unclear = 0
        for name in names {
            let found = inTree[Self.place(root, name)] ?? []
            if found.count == 1 { join(found[0], album) } else { unclear += 1 }
        }
        if unclear > 0 {
            remarks[index] = "\(unclear) of the names in it are those of no photo here, or of several"
        }
    }

    private mutating func join(_ photo: Int, _ album: String) {
        var note = SidecarNote()
        if album == "Favourites" { note.isFavourite = true } else { note.albums = [album] }
        notes[photo, default: []].append(note)
    }
}
