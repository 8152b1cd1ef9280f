/// Which folders are albums.
struct AlbumFolders {
    /// Folders of Google Photos that hold what came in a year, or what lies somewhere else, in the languages of its exports.
    private static let ofNoAlbum: Set<String> = [
        "archive", "trash", "bin", "locked folder", "failed videos", "archiv", "papierkorb", "gesperrter ordner",
        "archives", "corbeille", "dossier verrouillé", "archivio", "cestino", "archivo", "papelera", "arquivo",
        "lixeira", "archief", "prullenbak", "archiwum", "kosz", "归档", "回收站", "已归档", "垃圾桶", "封存", "存檔",
        "アーカイブ", "ゴミ箱", "보관함", "휴지통", "архив", "корзина",
    ]

    /// What the folder's own file says.
    let titles: [ImportTree: String]
    /// Folders with files beside photos as Google writes them.
    let takeout: Set<ImportTree>
    let ente: Set<ImportTree>
    /// Where an export of this program begins.
    let exports: Set<ImportTree>
    let keepsFolders: Bool
    private var folderNames: [ImportTree: String] = [:]

    init(
        titles: [ImportTree: String], takeout: Set<ImportTree>, ente: Set<ImportTree>, exports: Set<ImportTree>,
        keepsFolders: Bool, folders: Set<ImportTree>
    ) {
        self.titles = titles
        self.takeout = takeout
        self.ente = ente
        self.exports = exports
        self.keepsFolders = keepsFolders
        if keepsFolders { folderNames = Self.names(of: folders) }
    }

    /// Nil for a folder that is none.
    func album(of folder: ImportTree) -> String? {
        if let shared = appleShared(folder) ?? exported(folder) { return shared }
        if let title = titles[folder] { return title.isEmpty || Self.isYear(title) ? nil : title }
        guard let name = folder.name else { return nil }
        if ente.contains(folder) { return name }
        if takeout.contains(folder) || folder.isTakeout {
            // The folder of all of them is called "Google Photos" in one language or another.
            let isRoot = folder.folders.count <= 2 && folder.isTakeout
            return isRoot || Self.isYear(name) || Self.ofNoAlbum.contains(name.lowercased()) || Self.isUntitled(name)
                ? nil : name
        }
        return folderNames[folder]
    }

    private func appleShared(_ folder: ImportTree) -> String? {
        guard folder.folders.count >= 2, folder.folders[folder.folders.count - 2] == "Shared Albums" else { return nil }
        return folder.name
    }

    /// `albums/NAME` of an export of this program.
    private func exported(_ folder: ImportTree) -> String? {
        guard folder.folders.count >= 2, folder.folders[folder.folders.count - 2] == "albums",
            exports.contains(where: { $0.source == folder.source && $0.folders == folder.folders.dropLast(2) })
        else { return nil }
        return folder.name
    }

    /// `Photos from 2019`, `Fotos von 2019`, `2019 年的照片`, and the days of older exports, `2019-05-04` and
    /// `2019-05-04 #2`: a year, and words that come with it in some language.
    static func isYear(_ name: String) -> Bool {
        let words = name.lowercased().split { " '’-#".contains($0) }
        if words.allSatisfy({ $0.allSatisfy(\.isNumber) }) { return words.first?.count == 4 && words.count >= 3 }
        guard let number = years.lazy.compactMap({ name.firstRange(of: "\($0)") }).first else { return false }
        let rest = name.lowercased().replacing(name[number], with: "").filter { !" '’".contains($0) }
        return yearWords.contains(rest)
    }

    private static let years = 1826...2099
    /// Without blanks.
    private static let yearWords: Set<String> = [
        "photosfrom", "fotosvon", "fotosaus", "photosde", "fotosde", "fotosdel", "photosdu", "fotodal", "fotodel",
        "fotodi", "fotosuit", "fotouit", "fotosvan", "年的照片", "年の写真", "zdjęciaz", "fotografiide", "billederfra",
        "bilderfrån",
        "bilderfra", "foton från", "fotonfrån", "kuviavuodelta", "fotkyzroku", "fotografiezroku", "fotoğrafları",
        "фотографииза",
        "фотоза", "фото", "년의사진", "년사진", "照片", "來自年的相片", "年的相片",
    ]

    /// `Untitled(3)`.
    private static func isUntitled(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["untitled", "ohne titel", "unbenannt", "sans titre", "senza titolo", "sin título", "无标题", "未命名"]
            .contains { name == $0 || name.hasPrefix("\($0)(") || name.hasPrefix("\($0) (") }
    }

    /// The last part of each, with the one before it where two would be called the same.
    private static func names(of folders: Set<ImportTree>) -> [ImportTree: String] {
        let named = folders.filter { !$0.folders.isEmpty }
        let alike = Dictionary(grouping: named) { $0.folders.last ?? "" }
        return Dictionary(
            uniqueKeysWithValues: named.map { folder in
                let last = folder.folders.last ?? ""
                let isAlone = alike[last]?.count == 1
                return (folder, isAlone ? last : folder.folders.suffix(2).joined(separator: "/"))
            })
    }
}
