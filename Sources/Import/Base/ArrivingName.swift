/// Names in a watched folder that are left alone: of what is still on its way there, and of what systems and
/// synchronisers keep there for themselves.
package enum ArrivingName {
    /// Small letters. Of browsers, of copying and synchronising programs.
    private static let unfinishedEndings = [
        ".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", ".filepart", ".opdownload", ".!sync", ".bts",
        "~",
    ]
    private static let unfinishedBeginnings = ["~syncthing~", "~$"]
    private static let ofSystems: Set<String> = [
        "thumbs.db", "desktop.ini", "@eadir", "$recycle.bin", "#recycle", "lost+found",
    ]

    /// Of folders in which systems keep pictures of pictures, or what was thrown away. Small letters.
    private static let folders = [
        ".thumbnails": smallPictures, ".thumbs": smallPictures, "@eadir": smallPictures, "__macosx": ofMac,
        "$recycle.bin": thrownAway, ".trashes": thrownAway, "#recycle": thrownAway, ".recycle": thrownAway,
    ]
    private static let smallPictures = "a small picture that a system made for itself"
    private static let thrownAway = "it lies in a bin"
    private static let ofMac = "what a Mac notes beside a file"

    /// Why a file of a folder or an archive that is brought once is none of somebody's photos, whatever it is; nil where it
    /// may be one.
    static func reasonToLeave(_ path: String) -> String? {
        let parts = path.lowercased().split(separator: "/")
        guard let name = parts.last else { return nil }
        for (part, next) in zip(parts, parts.dropFirst()) {
            if let reason = folders[String(part)] { return reason }
            if part.hasPrefix(".trash-") { return thrownAway }
            if part.hasSuffix(".photoslibrary"), ["resources", "thumbnails"].contains(next) { return smallPictures }
        }
        if name.hasPrefix("._") { return ofMac }
        return isUnfinished(name) || name.hasPrefix(".syncthing.") ? "it did not come to its end" : nil
    }

    /// - Parameter name: in small letters
    private static func isUnfinished(_ name: some StringProtocol) -> Bool {
        unfinishedEndings.contains { name.hasSuffix($0) } || unfinishedBeginnings.contains { name.hasPrefix($0) }
    }

    /// Those that begin with a dot are hidden, as `.stfolder`, `.stversions`, `.syncthing.IMG_1.jpg.tmp`, `._IMG_1.jpg`.
    ///
    /// - Parameter name: of a file or a folder, as bytes.
    package static func isLeftAlone(_ name: some Collection<UInt8>) -> Bool {
        guard let first = name.first, first != UInt8(ascii: ".") else { return true }
        let text = String(decoding: name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        return ofSystems.contains(text) || isUnfinished(text)
    }
}
