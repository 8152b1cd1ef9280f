/// The folders in which Google Photos exports what came in a year, or on a day: they are no albums.
struct YearFolders {
    private(set) var folders: Set<ImportTree> = []

    /// - Parameter titles: what the folder's own file says, where it has one.
    init(_ takeouts: Set<ImportTree>, _ titles: [ImportTree: String]) {
        // Directly below "Google Photos", of whatever language.
        let candidates = takeouts.filter { $0.folders.count == 3 }
        for folder in candidates where Self.isYear(titles[folder] ?? folder.name ?? "") { folders.insert(folder) }
        takeAlike(candidates.filter { titles[$0] == nil })
        takeDays(candidates, titles)
    }

    /// Words of any language: several names that differ but in the year, and none of which is said to be an album.
    private mutating func takeAlike(_ candidates: Set<ImportTree>) {
        let patterns = Dictionary(grouping: candidates) { folder in
            Pattern(export: folder.export, words: Self.yearAndWords(folder.name ?? "")?.words)
        }
        for (pattern, alike) in patterns where pattern.words != nil && alike.count > 1 { folders.formUnion(alike) }
    }

    private struct Pattern: Hashable {
        var export: Int
        var words: String?
    }

    /// `2019-05-04` and `2019-05-04 #2` of older exports, which had days in the place of years. Beside years, and where a
    /// file says that it is an album, it was called so by a person.
    private mutating func takeDays(_ candidates: Set<ImportTree>, _ titles: [ImportTree: String]) {
        let withYears = Set(folders.map(\.export))
        let days = Dictionary(grouping: candidates.filter { Self.isDay(titles[$0] ?? $0.name ?? "") }, by: \.export)
        for (export, days) in days {
            let isOld = !withYears.contains(export) && days.count > 2
            folders.formUnion(days.filter { isOld || titles[$0] == nil })
        }
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
