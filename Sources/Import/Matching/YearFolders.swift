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
