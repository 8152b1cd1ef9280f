/// Which of the services in a Takeout is Google Photos. Whoever asks for everything has contacts, chats and a Drive with
/// pictures beside it, whose folders are no albums.
struct TakeoutServices {
    /// In the languages of the exports.
    private static let words = [
        "photo", "foto", "fotó", "fotky", "фото", "снимки", "слике", "フォト", "相册", "相簿", "照片", "포토", "사진", "zdjęcia",
        "valokuva", "kuvat", "bilder", "myndir", "fénykép", "nuotraukos", "φωτογραφίες", "תמונות", "صور", "عکس", "ảnh",
        "รูปภาพ", "फ़ोटो",
    ].map(EntryName.composed)

    private var photos: Set<ImportTree> = []

    init(_ files: [ImportFile], _ trees: [ImportTree], media: [Int]) {
        var (told, years): (Set<ImportTree>, Set<ImportTree>) = ([], [])
        for index in files.indices where trees[index].folders.count <= 3 {
            guard let service = trees[index].service else { continue }
            switch files[index].content {
            case .note(let note) where note.title != nil: told.insert(service)
            case .album where trees[index].folders.count == 3: told.insert(service)
            default: break
            }
        }
        for tree in Set(media.map { trees[$0] }) where tree.folders.count == 3 {
            if let service = tree.service, YearFolders.isYear(tree.name ?? "") { years.insert(service) }
        }
        let all = Set(media.compactMap { trees[$0].service })
        for services in Dictionary(grouping: all, by: \.export).values {
            let named = services.filter(Self.isNamed)
            // What lies in a Drive may be an export of before.
            let choices = [
                named.filter { told.contains($0) }, services.filter { told.contains($0) }, named,
                services.filter { years.contains($0) },
            ]
            photos.formUnion(choices.first { !$0.isEmpty } ?? [])
        }
    }

    private static func isNamed(_ service: ImportTree) -> Bool {
        let name = (service.name ?? "").lowercased()
        return name.contains("google") && words.contains { name.contains($0) }
    }

    /// Whether a folder belongs to Google Photos.
    func holdsPhotos(_ tree: ImportTree) -> Bool { tree.service.map(photos.contains) == true }

    /// The service to which a folder belongs, where that is another one.
    func other(_ tree: ImportTree) -> String? {
        guard let service = tree.service, !photos.contains(service) else { return nil }
        return service.name
    }
}

extension ImportTree {
    /// The folder below "Takeout".
    fileprivate var service: ImportTree? {
        guard isTakeout, folders.count > 1 else { return nil }
        return ImportTree(export: export, folders: Array(folders.prefix(2)))
    }
}
