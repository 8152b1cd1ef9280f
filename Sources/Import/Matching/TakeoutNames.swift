import Media

/// What Google Takeout makes of names beyond what `FamilyName` takes apart.
///
/// | rule | a photo | its sidecar |
/// | --- | --- | --- |
/// | the number of a copy stands before an ending that was put right | `IMG_2367(1).HEIC.jpg` | `IMG_2367.HEIC.supplemental-metadata(1).json` |
/// | it stands behind the ending | `IMG_7.jpg(1)` | `IMG_7.jpg(1).json` |
/// | it stands before the word for a change | `IMG_8(1)-edited.jpg`, `IMG_8(1)-edited.png.jpg` | `IMG_8.jpg(1).json` |
/// | it stands before the sidecar's own ending | `IMG_2369(2).jpg` | `IMG_2369.jpg(2).supplemental-metadata.json` |
/// | a name of 46 signs has room for one sidecar: its copies have none | `a name of 46 signs…(1).jpg` | `a name of 46 signs….json` |
/// | a name of 46 signs was cut once more for the word, and the word, too | `a name of 43 sig-ed.jpg` | `a name of 43 signs….json` |
/// | a changed Motion Photo, and its video | `PXL_1.MP~2.jpg`, `PXL_1.MP~2` | `PXL_1.MP~2.jpg.json`, `PXL_1.MP.jpg.json` |
enum TakeoutNames {
    /// UTF-16 units, without what is added to it.
    private static let longest = 46
    /// Of a name that was cut for the word behind it, at least so much is left.
    static let leastOfCut = 30

    /// The name with the number of a copy where it usually stands.
    static func plain(_ name: String, isSidecar: Bool) -> String {
        guard name.utf8.contains(UInt8(ascii: "(")) else { return name }
        return isSidecar ? plainSidecar(name) : plainPhoto(name)
    }

    private static func plainPhoto(_ name: String) -> String {
        if let match = name.wholeMatch(
            of: /(.+)(\([0-9]+\))(-[^0-9().]+)?(\.[A-Za-z0-9]{2,4})?(\.[A-Za-z0-9]{2,4})/),
            match.3 != nil || match.4 != nil, match.4.map(isEnding) ?? true, isEnding(match.5)
        {
            return "\(match.1)\(match.3 ?? "")\(match.4 ?? "")\(match.2)\(match.5)"
        }
        if let match = name.wholeMatch(of: /(.+)(\.[A-Za-z0-9]{2,4})(\([0-9]+\))/), isEnding(match.2) {
            return "\(match.1)\(match.3)\(match.2)"
        }
        return name
    }

    private static func plainSidecar(_ name: String) -> String {
        guard let match = name.wholeMatch(of: /(.+\.[A-Za-z0-9]{2,4})(\([0-9]+\))(\.[A-Za-z-]+)(\.[Jj][Ss][Oo][Nn])/),
            ".supplemental-metadata".hasPrefix(match.3.lowercased())
        else { return name }
        return "\(match.1)\(match.3)\(match.2)\(match.4)"
    }

    private static func isEnding(_ ending: Substring) -> Bool {
        !FamilyName("x\(ending)", isKnown: true).ending.isEmpty
    }

    /// Whether the name of a sidecar is that of a photo, cut where no more signs have room; numbers of copies aside. One
    /// without a number has the place of those of all copies.
    static func isCut(_ sidecar: String, of photo: String) -> Bool {
        guard let end = sidecar.lastIndex(of: ".") else { return false }
        let told = UnreadSidecar.key(String(sidecar[..<end])).replacing(/\([0-9]+\)$/, with: "")
        let name = UnreadSidecar.key(photo).replacing(/\([0-9]+\)(?=\.[a-z0-9]+$)/, with: "")
        return told.utf16.count >= longest && name.hasPrefix(told)
    }

    /// Whether a photo's name may be what the archive made of a title: it replaces signs, and cuts what is long.
    /// - Parameters: `FamilyName.stem` of both.
    static func isName(_ stem: [UInt8], of title: [UInt8]) -> Bool {
        let (name, title) = (plainSigns(stem), plainSigns(title))
        return name == title || name.count >= leastOfName && title.starts(with: name)
    }

    /// A shorter name was not cut.
    private static let leastOfName = 40

    /// With `_` for every sign that is no letter and no number.
    static func plainSigns(_ stem: [UInt8]) -> [Character] {
        String(decoding: stem, as: UTF8.self).lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    }

    /// What is left of the name of a photo before the word for its change, where both were cut.
    /// - Parameter stem: `FamilyName.stem`.
    static func beginning(ofCut stem: [UInt8]) -> [UInt8]? {
        guard let dash = stem.lastIndex(of: UInt8(ascii: "-")), dash >= leastOfCut,
            String(decoding: stem, as: UTF8.self).utf16.count >= longest,
            !stem[dash...].contains(where: { (0x30...0x39).contains($0) })
        else { return nil }
        return Array(stem[..<dash])
    }
}
