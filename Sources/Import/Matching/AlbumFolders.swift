/// Which folders are albums.
struct AlbumFolders {
    /// Folders of Google Photos that hold what lies somewhere else, in the languages of its exports.
    private static let ofNoAlbum: Set<String> = [
        "archive", "trash", "bin", "locked folder", "failed videos", "archiv", "papierkorb", "gesperrter ordner",
        "archives", "corbeille", "dossier verrouillé", "archivio", "cestino", "archivo", "papelera", "arquivo",
        "lixeira", "archief", "prullenbak", "archiwum", "kosz", "归档", "回收站", "已归档", "垃圾桶", "封存", "存檔",
        "アーカイブ", "ゴミ箱", "보관함", "휴지통", "архив", "корзина", "arkiv", "arkisto", "arşiv", "archív", "ארכיון",
        "papperskorg", "papirkurv", "roskakori", "koš", "çöp kutusu", "lomtár",
    ]

    /// What the folder's own file says.
    private let titles: [ImportTree: String]
    /// Folders with files beside photos as Google writes them.
    private var takeout: Set<ImportTree> = []
    private var ente: Set<ImportTree> = []
    /// Where an export of this program begins.
    private var exports: Set<ImportTree> = []
    /// The albums that the list of such an export names.
    private var listed: [ImportTree: Set<String>] = [:]
    /// What folders are called where they are albums that nothing says of.
    private var folderNames: [ImportTree: String] = [:]
    private let years: YearFolders
    private let services: TakeoutServices

    /// - Parameter sources: the paths of the sources, by number; may be missing.
    init(
        _ files: [ImportFile], _ trees: [ImportTree], media: [Int], _ services: TakeoutServices, keepsFolders: Bool,
        sources: [String]
    ) {
        self.services = services
        var titles: [ImportTree: String] = [:]
        for index in files.indices {
            switch files[index].content {
            case .album(let title, _): titles[trees[index].ofPhotos] = title
            case .note where trees[index] != trees[index].ofPhotos: ente.insert(trees[index].ofPhotos)
            case .note(let note) where note.title != nil && note.albums.isEmpty: takeout.insert(trees[index])
            case .accompaniment where files[index].name == "SHA256SUMS": exports.insert(trees[index])
            case .albumTable(let rows): listed[trees[index], default: []].formUnion(rows.map(\.album))
            default: break
            }
        }
        self.titles = titles
        // Immich's lie in folders as people made them.
        takeout = takeout.filter { $0.isTakeout || titles[$0] != nil }
        let folders = Set(media.map { trees[$0] })
        let ofPhotos = folders.union(titles.keys).filter { $0.isTakeout && services.other($0) == nil }
        years = YearFolders(ofPhotos, titles)
        guard keepsFolders else { return }
        let outer = Dictionary(media.map { (trees[$0], files[$0].source) }) { first, _ in first }
        folderNames = Self.names(of: folders) { folder in
            outer[folder].flatMap { sources.indices.contains($0) ? sources[$0] : nil }
        }
    }

    /// Whether a folder holds what was put away, as its sidecars say in every language, and no file says that it is an album.
    func isPutAway(_ folder: ImportTree, _ notes: [SidecarNote]) -> Bool {
        guard folder.isTakeout, titles[folder] == nil, !notes.isEmpty else { return false }
        return notes.allSatisfy(\.isArchived) || notes.allSatisfy(\.isTrashed)
    }

    /// Nil for a folder that is none.
    func album(of folder: ImportTree) -> String? {
        if let shared = appleShared(folder) ?? exported(folder) { return shared }
        if services.other(folder) != nil { return folderNames[folder] }
        if years.folders.contains(folder) { return nil }
        if let title = titles[folder] { return title.isEmpty ? nil : Self.name(title, in: folder) }
        guard let name = folder.name else { return nil }
        if ente.contains(folder) { return name }
        if takeout.contains(folder) || folder.isTakeout {
            return isRoot(folder) || Self.ofNoAlbum.contains(name.lowercased()) || Self.isUntitled(name) ? nil : name
        }
        return folderNames[folder]
    }

    /// The folder of all of them is called "Google Photos" in one language or another.
    private func isRoot(_ folder: ImportTree) -> Bool { folder.folders.count <= 2 && folder.isTakeout }

    /// Whether a folder may be an album although it counts as none: its file, which says so, may lie in another part.
    /// - Parameter notes: what is said of its photos.
    func isDoubtful(_ folder: ImportTree, _ notes: [SidecarNote]) -> Bool {
        guard folder.isTakeout, !isRoot(folder), services.other(folder) == nil else { return false }
        if years.folders.contains(folder) { return years.doubtful.contains(folder) }
        let (name, isPutAway) = (folder.name ?? "", isPutAway(folder, notes))
        guard titles[folder] == nil, isPutAway || album(of: folder) == nil else { return false }
        return !isPutAway || !Self.ofNoAlbum.contains(name.lowercased())
    }

    /// Google's number for a second folder of one name: its album is another one than that of the first.
    static func name(_ title: String, in folder: ImportTree) -> String {
        let folder = folder.name ?? ""
        guard folder.hasSuffix(")"), let open = folder.lastIndex(of: "("), folder.count > title.count,
            Int(folder[open...].dropFirst().dropLast()) != nil, isPortable(folder, for: title)
        else { return title }
        return "\(title) \(folder[open...])"
    }

    func isYear(_ folder: ImportTree) -> Bool {
        years.folders.contains(folder) && !years.doubtful.contains(folder)
    }

    private func appleShared(_ folder: ImportTree) -> String? {
        guard folder.folders.count >= 2, folder.folders[folder.folders.count - 2] == "Shared Albums" else { return nil }
        return folder.name
    }

    /// `albums/NAME` of an export of this program.
    private func exported(_ folder: ImportTree) -> String? {
        guard folder.folders.count >= 2, folder.folders[folder.folders.count - 2] == "albums",
            let name = folder.name,
            let export = exports.first(where: {
                $0.export == folder.export && $0.folders == folder.folders.dropLast(2)
            })
        else { return nil }
        // The list has the name as it is, of which a folder cannot have every sign.
        return listed[export]?.contains { Self.isPortable(name, for: $0) } == true ? nil : name
    }

    /// Whether a folder of this name may stand for an album: with `_` for signs that file systems refuse, and a number where
    /// another one is called the same.
    private static func isPortable(_ folder: String, for album: String) -> Bool {
        var folder = Substring(folder)
        if folder.count != album.count, folder.hasSuffix(")"), let open = folder.lastIndex(of: "("),
            Int(folder[open...].dropFirst().dropLast()) != nil
        {
            folder = folder[..<open]
            if folder.last == " ", folder.count > album.count { folder.removeLast() }
        }
        return folder.count == album.count && zip(folder, album).allSatisfy { $0 == $1 || $0 == "_" }
    }

    /// `Untitled(3)`.
    private static func isUntitled(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["untitled", "ohne titel", "unbenannt", "sans titre", "senza titolo", "sin título", "无标题", "未命名"]
            .contains { name == $0 || name.hasPrefix("\($0)(") || name.hasPrefix("\($0) (") }
    }

    /// The last part of each, with as many before it as tell those apart that would be called the same; at last the
    /// name of the source.
    private static func names(of folders: Set<ImportTree>, source: (ImportTree) -> String?) -> [ImportTree: String] {
        let named = folders.filter { !$0.folders.isEmpty }
        var names: [ImportTree: String] = [:]
        var rest = named.map { folder in
            (folder, (source(folder) ?? "").split(separator: "/").suffix(1).map(String.init) + folder.folders)
        }
        var count = 1
        while !rest.isEmpty {
            let alike = Dictionary(grouping: rest) { $0.1.suffix(count) }
            rest = []
            for (parts, group) in alike {
                for (folder, all) in group {
                    // What has no more folders cannot be told apart any further.
                    if group.count == 1 || all.count <= count {
                        names[folder] = parts.joined(separator: "/")
                    } else {
                        rest.append((folder, all))
                    }
                }
            }
            count += 1
        }
        return names
    }
}

/// Albums of one title stay apart, for in a vault a name is one album's: the second gets a number.
struct AlbumTitles {
    private struct Album: Hashable {
        var title: String
        /// Where it comes from.
        var identity: String
    }

    private var owners: [String: Album] = [:]
    private var names: [Album: String] = [:]

    mutating func name(_ title: String, of identity: String) -> String {
        let album = Album(title: title, identity: identity)
        if let known = names[album] { return known }
        var (name, number) = (title, 1)
        while owners[Self.key(name)] != nil {
            number += 1
            name = "\(title) (\(number))"
        }
        owners[Self.key(name)] = album
        names[album] = name
        return name
    }

    /// Small letters are no other name.
    private static func key(_ name: String) -> String { EntryName.composed(name).uppercased().lowercased() }
}

/// The folders in which Google Photos exports what came in a year, or on a day: they are no albums.
struct YearFolders {
    private(set) var folders: Set<ImportTree> = []
    /// Those of them that may be albums all the same.
    private(set) var doubtful: Set<ImportTree> = []

    /// - Parameter titles: what the folder's own file says, where it has one.
    init(_ takeouts: Set<ImportTree>, _ titles: [ImportTree: String]) {
        // Directly below "Google Photos", of whatever language.
        let candidates = takeouts.filter { $0.folders.count == 3 }
        for folders in Dictionary(grouping: candidates, by: \.export).values {
            let years = Dictionary(grouping: folders.filter { Self.isYear($0, titles) }) { folder in
                Self.yearAndWords(folder.name ?? "")?.words ?? ""
            }
            // An export has one language: beside folders of years that no file calls an album, others are a person's.
            let bare = years.values.filter { $0.contains { titles[$0] == nil } }
            let found = (bare.isEmpty ? Array(years.values) : bare).flatMap(\.self)
            self.folders.formUnion(found)
            if bare.count != 1 { doubtful.formUnion(found) }
            if bare.isEmpty { takeAlike(folders.filter { titles[$0] == nil }) }
            takeDays(folders, titles, hasYears: !self.folders.isDisjoint(with: folders))
        }
    }

    /// A person's album called like a year has another folder than the year, with a number.
    private static func isYear(_ folder: ImportTree, _ titles: [ImportTree: String]) -> Bool {
        isYear(folder.name ?? "") && titles[folder].map(isYear) ?? true
    }

    /// Words of any language: several names that differ but in the year, and none of which is said to be an album.
    private mutating func takeAlike(_ candidates: [ImportTree]) {
        let patterns = Dictionary(grouping: candidates) { Self.yearAndWords($0.name ?? "")?.words }
        for (words, alike) in patterns where words != nil && alike.count > 1 {
            folders.formUnion(alike)
            doubtful.formUnion(alike)
        }
    }

    /// `2019-05-04` and `2019-05-04 #2` of older exports, which had days in the place of years. Beside years, and where a
    /// file says that it is an album, it was called so by a person.
    private mutating func takeDays(_ candidates: [ImportTree], _ titles: [ImportTree: String], hasYears: Bool) {
        let days = candidates.filter { Self.isDay($0.name ?? "") && titles[$0].map(Self.isDay) ?? true }
        let isOld = !hasYears && days.count > 2
        folders.formUnion(days.filter { isOld || titles[$0] == nil })
        doubtful.formUnion(days.filter { isOld == (titles[$0] != nil) })
    }

    /// `Photos from 2019`, `Fotos von 2019`, `2019 年的照片`: a year, and words that come with it in some language.
    static func isYear(_ name: String) -> Bool { yearAndWords(name).map { yearWords.contains($0.words) } ?? false }

    static func isDay(_ name: String) -> Bool {
        let words = name.split(separator: " ", maxSplits: 1)
        let numbers = (words.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.map(\.count) == [4, 2, 2], numbers.allSatisfy({ $0.allSatisfy(\.isWholeNumber) }) else {
            return false
        }
        return words.count == 1 || (words[1].first == "#" && Int(words[1].dropFirst()) != nil)
    }

    /// The only number in a name, where that is a year; and the rest in small letters without blanks.
    private static func yearAndWords(_ name: String) -> (year: Int, words: String)? {
        let numbers = name.split { !("0"..."9").contains($0) }
        guard numbers.count == 1, numbers[0].count == 4, let year = Int(numbers[0]), (1826...2099).contains(year) else {
            return nil
        }
        let words = name.lowercased().filter { !"0123456789 \u{A0}\u{202F}'’.".contains($0) }
        return words.isEmpty ? nil : (year, words)
    }

    /// Without blanks.
    private static let yearWords: Set<String> = [
        "photosfrom", "fotosvon", "fotosaus", "photosde", "fotosde", "fotosdel", "photosdu", "fotodal", "fotodel",
        "fotodi", "fotosuit", "fotouit", "fotosvan", "年的照片", "年の写真", "zdjęciaz", "zdjęciazroku", "fotografiide",
        "fotografiidin", "billederfra", "bilderfrån", "bilderfra", "fotonfrån", "fotonfrånår", "kuviavuodelta",
        "kuvatvuodelta", "valokuvatvuodelta", "fotkyzroku", "fotkyzroka", "fotografiezroku", "fotografiezroka",
        "fotografieodroku", "fotoğrafları", "yılınaaitfotoğraflar", "yılındançekilenfotoğraflar", "фотографииза",
        "фотографииот", "фотографииз", "фотоза", "фотозагод", "фотозаг", "년의사진", "년사진", "來自年的相片", "年的相片",
        "fotosdelaño", "fotosdoano", "fotosdelany", "fotodari", "fotói", "évifotók", "fotografijeiz",
        "fotografijeizgodine",
        "снимкиот", "nuotraukosiš", "φωτογραφίεςαπό", "φωτογραφίεςαπότο", "תמונותמשנת", "צילומיםמשנת", "صورمن", "ảnhtừ",
        "ảnhtừnăm", "รูปภาพจากปี",
    ]
}

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
