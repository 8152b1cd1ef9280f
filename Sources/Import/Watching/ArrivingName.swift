/// Names in a watched folder that are left alone: of what is still on its way there, and of what systems and
/// synchronisers keep there for themselves.
package enum ArrivingName {
    /// Small letters. Of browsers, of copying and synchronising programs.
    private static let unfinishedEndings = [
        ".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", ".filepart", ".opdownload", ".!sync", ".bts",
        "~",
    ]
    private static let unfinishedBeginnings = ["~syncthing~", "~$"]
    private static let ofSystems: Set<String> = ["thumbs.db", "desktop.ini", "@eadir", "$recycle.bin", "lost+found"]

    /// Those that begin with a dot are hidden, as `.stfolder`, `.stversions`, `.syncthing.IMG_1.jpg.tmp`, `._IMG_1.jpg`.
    ///
    /// - Parameter name: of a file or a folder, as bytes.
    package static func isLeftAlone(_ name: some Collection<UInt8>) -> Bool {
        guard let first = name.first, first != UInt8(ascii: ".") else { return true }
        let text = String(decoding: name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        return ofSystems.contains(text) || unfinishedEndings.contains { text.hasSuffix($0) }
            || unfinishedBeginnings.contains { text.hasPrefix($0) }
    }
}
